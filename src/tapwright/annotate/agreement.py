"""The agreement of two annotators about the same steps.

Exact and fuzzy likeness of their words, whether both mean the same element of the hierarchy, and
Krippendorff's alpha of that, which takes away what chance would give (K. Krippendorff, Computing
Krippendorff's Alpha-Reliability, 2011, https://repository.upenn.edu/asc_papers/43, section C).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from tapwright.annotate.target_match import action_place, find_target
from tapwright.core.episode import Episode, Step
from tapwright.store.annotations import Annotation

__all__ = ["AnnotatorAgreement", "compare_annotators", "krippendorff_alpha"]


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """What was counted; the shares are 0 to 1, and None where nothing could be compared.

    `steps` are those that both explain. `same_target` is the share of targets that are equal but
    for blanks and case, `same_reasoning` that of reasonings; `reasoning_likeness` is RapidFuzz's
    ratio of words in any order. Of `elements` steps both targets are found in the hierarchy:
    `same_element` is the share in which it is the same one, `touched` the share in which it is the
    one that was touched, for both. `alpha` is Krippendorff's of the targets.
    """

    steps: int
    same_target: float | None
    same_reasoning: float | None
    reasoning_likeness: float | None
    elements: int
    same_element: float | None
    touched: float | None
    alpha: float | None


def compare_annotators(
    pairs: Iterable[tuple[Episode, Sequence[Annotation], Sequence[Annotation]]],
) -> AnnotatorAgreement:
    """Compares the annotations of two annotators, step by step."""
    targets: list[bool] = []
    reasonings: list[bool] = []
    likeness: list[float] = []
    same: list[bool] = []
    touched: list[bool] = []
    units: list[tuple[Hashable, Hashable]] = []
    for episode, ones, others in pairs:
        for step, one, other in zip(episode.steps, ones, others, strict=True):
            if one.codes or other.codes:
                continue
            reasonings.append(_folded(one.reasoning) == _folded(other.reasoning))
            likeness.append(_likeness(one.reasoning, other.reasoning))
            if not (one.target and other.target):
                continue
            targets.append(_folded(one.target) == _folded(other.target))
            found = _elements(step, one.target, other.target)
            if found is None:
                continue
            a, b, at = found
            same.append(a == b)
            touched.append(a == b == at)
            units.append(((episode.id, one.step, a), (episode.id, one.step, b)))
    return AnnotatorAgreement(
        len(reasonings),
        _share(targets),
        _share(reasonings),
        _share(likeness),
        len(same),
        _share(same),
        _share(touched),
        krippendorff_alpha(units),
    )


def krippendorff_alpha(units: Iterable[Sequence[Hashable]]) -> float | None:
    """Krippendorff's alpha for names (nominal data): 1 agreement, 0 chance, below it worse.

    A unit holds the values of its raters, one for each; units with fewer than two do not count.
    None when fewer than two units are left, or all values are the same, as alpha is undefined then.
    The library krippendorff, which gives the same, is under the GPL.
    """
    pairable = [Counter(unit) for unit in units if len(unit) > 1]
    total: Counter[Hashable] = Counter()
    observed = 0.0
    for unit in pairable:
        count = unit.total()
        total.update(unit)
        observed += sum(one * (count - one) for one in unit.values()) / (count - 1)
    n = total.total()
    expected = sum(one * (n - one) for one in total.values())
    if len(pairable) < 2 or expected == 0:
        return None
    return 1.0 - (n - 1) * observed / expected


def _elements(step: Step, one: str, other: str) -> tuple[int, int, int | None] | None:
    """Returns the order of the nodes of two targets, and of the touched one."""
    tree = step.observation.ui_tree
    if tree is None:
        return None
    a, b = find_target(one, tree), find_target(other, tree)
    if a is None or b is None:
        return None
    at = action_place(step.decision.first)
    node = tree.at(at) if at is not None else None
    inside = {below.order for below in node.walk()} if node is not None else set()
    touched = node.order if node is not None else None
    # What stands within the element that takes the touch is that element.
    return (
        touched if a.order in inside and touched is not None else a.order,
        touched if b.order in inside and touched is not None else b.order,
        touched,
    )


def _folded(text: str) -> str:
    return "".join(text.split()).casefold()


def _likeness(one: str, other: str) -> float:
    return fuzz.token_sort_ratio(one.casefold(), other.casefold()) / 100


def _share(counted: Sequence[float]) -> float | None:
    return round(sum(counted) / len(counted), 4) if counted else None
