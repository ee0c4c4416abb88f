"""What a step may be used for: the one rule that exports, checks, questions and benchmarks obey.

    | the step is …                              | to look at | as history | as a target |
    |--------------------------------------------|------------|------------|-------------|
    | without a recorded picture (a stand-in)     | no         | yes        | no          |
    | stale: its picture is of another moment     | yes        | yes        | no          |
    | blank: its picture is black all over        | no         | yes        | no          |
    | refused: the device did not perform it      | yes        | yes        | no          |
    | cut off: it ended before its last action    | yes        | yes        | no          |
    | by another: a person did it for the agent   | yes        | yes        | no          |

A blank screen may be waited on: then it is a target. A step without a reasoning is unlabelled: it
may be a target of actions alone, and of what asks for an element. Where a step is refused, cut off,
stale or of another, that is told first; then its picture; then that it has no label. What other
episodes say of one, the same again or another action at the same point, is of a set of them:
`curate.duplicates` and `curate.check` say it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from tapwright.core.actions import Wait
from tapwright.core.episode import Step
from tapwright.core.geometry import Size
from tapwright.core.language import counted
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError, CorruptEpisodeError

__all__ = [
    "BLANK", "NO_PICTURE", "STALE", "UNLABELLED", "UNREVIEWED", "Fit", "FitKind", "count_unfit",
    "find_fit", "find_kind", "is_black", "may_be_unseen", "may_show_nothing", "name_kind",
    "tell_unfit", "tell_untaught", "why_unfit", "why_unseen", "why_untaught",
]  # fmt: skip

NO_PICTURE = "no picture was recorded"
STALE = "its picture is of another moment (stale)"
BLANK = "its picture is black all over"
UNLABELLED = "step has no annotation"
UNREVIEWED = "step has no review"
FitKind: TypeAlias = Literal[
    "target", "refused", "cut off", "stale", "unlabelled", "no picture", "black", "by another"
]
_KINDS: Mapping[str, FitKind] = {
    NO_PICTURE: "no picture",
    STALE: "stale",
    BLANK: "black",
    UNLABELLED: "unlabelled",
}
_REFUSED = "it was refused: "
_BY = "it was done in the agent's place by "
_BLACK = 8
_LEAST_PIXELS = 200 * 200
"""A smaller picture is none of a whole screen."""
_LEAST_BYTES = 4096
_BYTES_PER_PIXEL = 1 / 40
"""A picture of one colour, and a stand-in, has fewer; one with more need not be decoded."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a step may be used for: "" where it may, else why not.

    As history every step may be used: what was done is known.
    """

    look: str = ""
    target: str = ""


def find_fit(step: Step) -> Fit:
    """What a step may be used for; its picture is read."""
    look = why_unseen(step.observation.screenshot, step.observation.size)
    return Fit(look, target=why_untaught(step) or ("" if may_be_unseen(step, look) else look))


def why_unfit(step: Step) -> str:
    """Why a step is no target of anything; "" where it may be one, or its picture is not there."""
    try:
        return find_fit(step).target
    except CorruptEpisodeError:
        return ""  # whoever needs the picture says what is wrong with it


def find_kind(step: Step, unfit: str | None = None) -> FitKind:
    """What a step is for what teaches a reasoning, where it is `unfit` for this reason, or none."""
    unlabelled = "" if step.decision.reasoning.strip() else UNLABELLED
    return name_kind((why_unfit(step) if unfit is None else unfit) or unlabelled)


def count_unfit(kinds: Mapping[FitKind, int]) -> int:
    """How many of such steps are no target of anything: the unlabelled may be one of actions."""
    return sum(count for kind, count in kinds.items() if kind not in ("target", "unlabelled"))


def tell_unfit(kinds: Mapping[FitKind, int]) -> str:
    """Such as "3 of 8 steps unfit as targets: 2 stale, 1 refused"; "" when none is."""
    if not (unfit := count_unfit(kinds)):
        return ""
    told = ", ".join(
        f"{kinds[kind]} {kind}"
        for kind in get_args(FitKind)
        if kind not in ("target", "unlabelled") and kinds.get(kind)
    )
    return f"{unfit} of {counted(sum(kinds.values()), 'step')} unfit as targets: {told}"


def why_untaught(step: Step) -> str:
    """Why a step is no target whatever its picture shows; "" where it may be one."""
    left = len(step.decision.actions) - step.done
    return tell_untaught(step.refused, left, stale=step.observation.stale, by=step.by)


def tell_untaught(refused: str, left: int, *, stale: bool, by: str) -> str:
    """`why_untaught` by what was refused, how many actions were not done, the look, and `by` whom.

    What a person did in an agent's place is no sample of either: not of the agent's decisions, and
    without the reasons that a demonstration is annotated with.
    """
    if by:
        return f"{_BY}{by}"
    if refused:
        return f"{_REFUSED}{refused}"
    if left:
        return f"{left} of its actions were not done, as the attempt had ended"
    return STALE if stale else ""


def name_kind(reason: str) -> FitKind:
    """The kind of `Fit.target`, or of another's `why_untaught`; "target" for none."""
    if reason.startswith(_REFUSED):
        return "refused"
    if reason.startswith(_BY):
        return "by another"
    return _KINDS.get(reason, "cut off") if reason else "target"


def may_be_unseen(step: Step, look: str) -> bool:
    """Whether a step is a target though its screen is not to be looked at, for this reason."""
    return look == BLANK and isinstance(step.decision.alone, Wait)


def may_show_nothing(size_bytes: int, size: Size) -> bool:
    """Whether a picture of so few bytes may be a stand-in or black; else it need not be read."""
    return size_bytes <= max(_LEAST_BYTES, size.width * size.height * _BYTES_PER_PIXEL)


def why_unseen(shot: Screenshot, size: Size) -> str:
    """Why a picture of a screen of this size is not to be looked at; "" where it is."""
    data, pixels = shot.data, size.width * size.height
    if not may_show_nothing(len(data), size):
        return ""
    shot = Screenshot(data, origin=shot.origin)  # read once
    if not shot.recorded:
        return NO_PICTURE
    return BLANK if pixels >= _LEAST_PIXELS and is_black(shot) else ""


def is_black(shot: Screenshot) -> bool:
    """Whether a picture is black all over, as a phone gives of a window that is secure."""
    try:
        image = shot.image()
    except BadImageError:
        return False  # whoever needs the picture says what is wrong with it
    return max(high for _, high in cast(Sequence[tuple[int, int]], image.getextrema())) <= _BLACK
