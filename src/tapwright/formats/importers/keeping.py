"""What is kept of a recording that is good in part: one policy, which every reader obeys.

    a picture that is missing or broken      a stand-in, of the size of the nearest other picture
    a step without an action of its own      a wait of no time, refused with the reason; what was
                                             recorded stands in the step's log
    a recording that is cut, or has a gap    the steps before it; the episode is interrupted
    an instruction that is nowhere           "", never an id

Each is noted in the account. An episode of which nothing is left is unreadable.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from tapwright.core.actions import Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.errors import BadImageError, BadTreeError, TapwrightError, first_problem
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers.account import note_broken, note_left_out
from tapwright.formats.importers.foreign_record import parse_json
from tapwright.formats.told_paths import NO_HIERARCHY, NO_PICTURE

__all__ = [
    "DESKTOP",
    "PHONE",
    "Seen",
    "build_steps",
    "cut_short",
    "keep_steps",
    "mend_pictures",
    "note_no_instruction",
    "parse_steps",
    "parse_value",
    "parse_whole",
    "refuse_step",
    "see_screens",
    "stand_in",
]

S = TypeVar("S")
T = TypeVar("T")

PHONE, DESKTOP = Size(1080, 2400), Size(1920, 1080)
"""The sizes of stand-ins where no picture of an episode tells one."""

_RECORDED_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Seen:
    """A screen, and lines for its step's log: why it has a stand-in, or no hierarchy."""

    observation: Observation
    log: tuple[str, ...] = ()

    def with_tree(self, build: Callable[[Size], UiTree | None], where: str) -> "Seen":
        """The screen with its hierarchy, which is left out where it cannot be built."""
        try:
            tree = build(self.observation.size)
        except (ForeignDataError, BadTreeError) as error:
            note_left_out("fields", f"{where}: hierarchy", str(error))
            return replace(self, log=(*self.log, f"{NO_HIERARCHY}{error}"))
        return replace(self, observation=replace(self.observation, ui_tree=tree))

    def with_app(self, app: str) -> "Seen":
        """The screen with the app that is in front."""
        return replace(self, observation=replace(self.observation, app=app))


def see_screens(
    looks: Iterable[tuple[str, Callable[[], Observation]]], size: Size, *, is_fault: bool = True
) -> list[Seen]:
    """The screens of an episode, each by its place and what reads it; `size` if none has one.

    Pictures that were never meant to be there are no fault.
    """
    found: list[Observation | str] = []
    for where, look in looks:
        try:
            found.append(look())
        except (ForeignDataError, BadImageError) as error:
            found.append(str(error))
            note_left_out("pictures", where, str(error), is_fault=is_fault)
    sizes = [one.size if isinstance(one, Observation) else None for one in found]
    first = next((one for one in sizes if one is not None), size)
    seen: list[Seen] = []
    for one in found:
        if isinstance(one, Observation):
            first = one.size
            seen.append(Seen(one))
        else:
            seen.append(Seen(stand_in(first), (f"{NO_PICTURE}{one}",)))
    return seen


def build_steps(
    recorded: Iterable[tuple[str, T]],
    look: Callable[[T], Observation],
    build: Callable[[Seen, T, str], list[Step]],
    size: Size,
) -> list[Step]:
    """The steps that `build` makes of what is recorded, each after its place, on its screen."""
    read = list(recorded)
    screens = see_screens(((where, partial(look, one)) for where, one in read), size)
    return [
        step
        for (where, one), seen in zip(read, screens, strict=True)
        for step in build(seen, one, where)
    ]


def stand_in(size: Size) -> Observation:
    """A screen of which there is no picture."""
    return Observation(screenshot=Screenshot.stand_in(size), size=size)


def keep_steps(
    seen: Seen,
    make: Callable[[Observation], Sequence[Step]],
    *,
    recorded: JsonValue,
    reasoning: str = "",
    instruction: str = "",
) -> list[Step]:
    """The steps that `make` makes on a screen; or one that is refused, with why it could not."""
    try:
        made = list(make(seen.observation))
    except ValidationError as error:
        reason = first_problem(error)
    except OverflowError as error:
        reason = f"a number is too large: {error}"
    except TapwrightError as error:
        if error.fatal:
            raise
        reason = str(error)
    else:
        return [replace(one, log=(*one.log, *seen.log)) for one in made] if seen.log else made
    note_broken(reason)
    return [
        replace(
            refuse_step(seen.observation, reason, reasoning, (*_tell(recorded), *seen.log)),
            step_instruction=instruction,
        )
    ]


def _tell(recorded: JsonValue) -> tuple[str, ...]:
    text = recorded if isinstance(recorded, str) else json.dumps(recorded, ensure_ascii=False)
    return (f"recorded: {text[:_RECORDED_CHARACTERS]}",) if text else ()


def refuse_step(
    seen: Observation, reason: str, reasoning: str = "", log: Sequence[str] = ()
) -> Step:
    """A step that no action of ours stands for: a wait of no time, refused with the reason."""
    return Step(seen, Decision(Wait(duration_s=0), reasoning), refused=reason, log=tuple(log))


def cut_short(episode: Episode, where: str, reason: str, lost: int) -> Episode:
    """An episode as far as it goes: what followed, `lost` steps, is missing or cannot be read.

    Raises:
        ForeignDataError: nothing of it is left.
    """
    if not episode.steps:
        raise ForeignDataError(reason)
    note_left_out("steps", where, reason, lost)
    return replace(episode, outcome="interrupted")


def parse_whole(parse: Callable[[S], T], items: Iterable[S]) -> tuple[list[T], str]:
    """The items up to one that cannot be parsed, and why not.

    Raises:
        ForeignDataError: it is the first.
    """
    read: list[T] = []
    for one in items:
        try:
            read.append(parse(one))
        except ForeignDataError as error:
            if not read:
                raise
            return read, str(error)
    return read, ""


def parse_steps(kind: TypeAdapter[T], items: Iterable[tuple[str, JsonValue]]) -> list[T]:
    """The steps of a recording, each after its place; what is none is an empty one, and noted.

    Its reader refuses that one; the others stay.
    """
    read: list[T] = []
    for where, item in items:
        try:
            read.append(parse_value(kind, item, where))
        except ForeignDataError as error:
            note_left_out("fields", where, str(error))
            read.append(parse_value(kind, {}, where))
    return read


def note_no_instruction(where: str) -> str:
    """Note that a recording does not say what was to be done; the empty instruction."""
    note_left_out("fields", f"{where}: instruction", "is nowhere", is_fault=False)
    return ""


def parse_value(kind: TypeAdapter[T], value: JsonValue, where: str) -> T:
    """A part of what was parsed as a `kind`; as `parse_json`."""
    return parse_json(kind, json.dumps(value), where)


def mend_pictures(episode: Episode) -> Episode:
    """The episode with a stand-in for each picture that cannot be decoded, and no such last one."""
    broken: dict[str, str] = {}
    screens = [screen for step in episode.steps for screen in step.screens]
    shots = [one.screenshot for one in (*screens, episode.final) if one is not None]
    for shot in {one.sha256: one for one in shots}.values():
        try:
            shot.image()
        except BadImageError as error:
            broken[shot.sha256] = str(error)
    if not broken:
        return episode
    final = episode.final
    steps = tuple(
        _mend_step(step, broken, f"{episode.id}, step {number}")
        for number, step in enumerate(episode.steps)
    )
    return replace(
        episode,
        steps=steps,
        final=None if final is None or final.screenshot.sha256 in broken else final,
    )


def _mend_step(step: Step, broken: dict[str, str], where: str) -> Step:
    def mend(seen: Observation) -> Observation:
        if seen.screenshot.sha256 not in broken:
            return seen
        return replace(seen, screenshot=Screenshot.stand_in(seen.size))

    why = broken.get(step.observation.screenshot.sha256)
    if why is not None:
        note_left_out("pictures", where, why)
    return replace(
        step,
        observation=mend(step.observation),
        between=tuple(mend(one) for one in step.between),
        after=None if step.after is None else mend(step.after),
        log=step.log if why is None else (*step.log, f"{NO_PICTURE}{why}"),
    )
