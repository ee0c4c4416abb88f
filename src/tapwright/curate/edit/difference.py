"""The changes of an edit as lines for people: the header's fields and the steps, old and new."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeVar

from tapwright.core.episode import Episode, Step, describe_actions

__all__ = ["DiffLine", "compare", "difference", "step_line"]

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: gone (-), new (+), or as it was ( ); `step` is its number, None in the header."""

    sign: Literal["-", "+", " "]
    step: int | None
    text: str


def difference(before: Episode, after: Episode) -> list[DiffLine]:
    """The lines that differ, with an unchanged one around each."""
    # A step that an edit left alone is the same object, so that none is compared by its pixels.
    old, new = [id(step) for step in before.steps], [id(step) for step in after.steps]
    by_id = {id(step): step for step in (*before.steps, *after.steps)}
    lines = compare(old, new, lambda key: step_line(by_id[key]))
    return [*_compare_headers(before, after), *lines]


def compare(old: Sequence[K], new: Sequence[K], render: Callable[[K], str]) -> Iterator[DiffLine]:
    """The lines that differ between two lists, as in `difference`; `render` makes their text."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(1):
        for what, start, stop, new_start, new_stop in group:
            if what != "equal":
                yield from (DiffLine("-", at, render(old[at])) for at in range(start, stop))
            sign: Literal["+", " "] = " " if what == "equal" else "+"
            yield from (DiffLine(sign, at, render(new[at])) for at in range(new_start, new_stop))


def step_line(step: Step) -> str:
    """A step in one line."""
    parts = [describe_actions(step.decision.actions)]
    if step.step_instruction:
        parts.append(f"told: {step.step_instruction}")
    if step.by:
        parts.append(f"by {step.by}")
    if step.decision.target:
        parts.append(f"on {step.decision.target}")
    if step.reward:
        parts.append(f"reward {step.reward:+g}")
    parts.extend(f"instruction: {instruction}" for instruction in step.instructions)
    if step.decision.reasoning:
        parts.append(step.decision.reasoning)
    return " · ".join(parts)


def _compare_headers(before: Episode, after: Episode) -> Iterator[DiffLine]:
    fields = (
        ("instruction", before.instruction, after.instruction),
        ("outcome", before.outcome, after.outcome),
        ("evidence", before.evidence, after.evidence),
    )
    for name, old, new in fields:
        if old != new:
            yield DiffLine("-", None, f"{name}: {old}")
            yield DiffLine("+", None, f"{name}: {new}")
