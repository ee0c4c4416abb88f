"""OSWorld's results, in and out: https://github.com/xlang-ai/OSWorld, lib_run_single.py.

Read off pkueecszc/OSWorld at eac51b51, a copy of it, and the later form off ljxpython/OSWorldUse at
0142938e (both lib_run_single.py, `run_single_example`; run.py for the folders):

    <results>/<action space>/<observation>/<model>/<domain>/<task's id>/
        traj.jsonl                a line for each action: step_num, action_timestamp, action,
                                  response (later form), reward, done, info, screenshot_file
        step_<n>_<time>.png       the screen *after* that action
        result.txt                the score, from 0 to 1
        recording.mp4             not read

The screen before the first action is not kept: that step has the one after it, marked stale, unless
there is an `initial_state.png`. The actions of one answer are one step: those of one line, and
lines of one `step_num` with the same response, whose screens are those between. Code that no action
stands for was run by the VM all the same: it becomes a wait of no time, refused with the reason, so
that no training set teaches it.

The instruction stands in lines of some runners, in `instruction.txt` of others
(https://huggingface.co/datasets/UI-MOPD/OSWorld-Eval-Results), else in the task's file,
evaluation_examples/examples/<domain>/<id>.json: it is looked for beside the results and in the
folders above. Of a response that is a whole answer the thought becomes the reasoning
(`formats.importers.answers`), and the answer stands in the step's log as it is.

A response that is no text, such as the plan of OS-Symphony, stands in the step's log as JSON. That
runner's pictures, `step_<n>.png` without a time, are of the screen *before* the action
(OS-Copilot/OS-Symphony at 983d2f9f, lib_run_single.py); as other runners name theirs so, too, its
lines are told by their instruction and such a response.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from tapwright.conventions.pyautogui import CallPointer
from tapwright.core.actions import Action, Wait
from tapwright.core.episode import APPS, Episode, EpisodeOutcome, Step
from tapwright.core.observation import Observation
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode, write_each
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.answers import Answered, split_answer
from tapwright.formats.osworld.actions import read_osworld_action
from tapwright.formats.osworld.exporter import AS_READ, folder_of, write_action, write_attempt
from tapwright.formats.told_paths import NO_PICTURE

__all__ = ["OSWORLD", "OsWorld"]

_TRAJECTORY, _SCORE, _FIRST = "traj.jsonl", "result.txt", "initial_state.png"
_INSTRUCTION = "instruction.txt"
_NUMBER = re.compile(rb"\s*(?:tensor\()?(-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|True|False)\)?\s*")
_BEFORE = re.compile(r"step_\d+(_milestone)?\.png", re.ASCII)
_SPACES = ("pyautogui", "computer_13", "claude_computer_use", "autoglm_computer_use")


class _Line(foreign_record.ForeignRecord):
    UNUSED = frozenset({"action_timestamp", "reward", "info"})

    step_num: JsonValue = None
    action: JsonValue = None
    screenshot_file: str | None = None
    response: JsonValue = None
    instruction: str = ""
    done: bool = False
    Error: str | None = None

    @property
    def is_step(self) -> bool:
        """Whether something was done, or seen, and not only that the run failed."""
        return self.action is not None or bool(self.screenshot_file)


class _Task(foreign_record.ForeignRecord):
    instruction: str


_LINE, _TASK = TypeAdapter(_Line), TypeAdapter(_Task)


class OsWorld:
    """Reads and writes OSWorld's results."""

    name = "osworld"

    def recognizes(self, path: Path) -> bool:
        """Whether it is a folder with a traj.jsonl, or that file, of OSWorld's fields."""
        file = path / _TRAJECTORY if path.is_dir() else path
        return file.name == _TRAJECTORY and (
            foreign_record.head_contains(file, ".jsonl", b'"action"', b'"screenshot_file"')
            or foreign_record.head_contains(file, ".jsonl", b'"Error"')
        )

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the attempts below a folder of results, in the order of their paths.

        Raises:
            ForeignDataError: no traj.jsonl is there.
        """
        return foreign_record.read_each(
            foreign_record.find_files(path, _TRAJECTORY),
            _read_attempt,
            f"{path}: no {_TRAJECTORY} in it",
            hint="give OSWorld's --result_dir, or a folder below it",
        )

    def write(self, episodes: Iterable[Episode], path: Path) -> int:
        """Write a tree of results that OSWorld's show_result.py reads; returns how many.

        It is `path`/pyautogui/screenshot/<agent>/<domain>/<id>: the domain and id are those that
        the task is named by ("chrome/bb5e4c0d-…", "os" for a name without a domain). Of several
        attempts at a task the first has its folder, as there is one for each.

        Raises:
            UsageError: `path` exists.
            UnsupportedByConventionError: PyAutoGUI has no such action; names episode and step.
            DiskError: the disk is full or not writable; then nothing is left behind.
        """
        return write_each(episodes, path, write_attempt)

    def place_of(self, episode: Episode) -> str:
        """The folder of its task."""
        return str(folder_of(episode))

    def check_step(self, step: Step) -> None:
        """Check that there is code for each action.

        Raises:
            UnsupportedByConventionError: there is none.
        """
        for part in step.parts:
            write_action(part)


OSWORLD = OsWorld()


def _read_attempt(file: Path) -> Episode:
    folder = file.parent
    lines, broken = _read_lines(file)
    played = [(where, line) for where, line in lines if line.is_step]
    failed = next((line.Error for _, line in lines if line.Error), None)
    if not played:
        reason = broken or (failed or "")[:300]
        raise ForeignDataError(f"{file}: has no actions{': ' if reason else ''}{reason}")
    before, screens, final = _screens(folder, played)
    domain, id_ = folder.parent.name, folder.name
    score = _score(folder / _SCORE)
    episode = Episode(
        id="-".join(["osworld", *_place_in_results(folder)]),
        task_id=f"{domain}/{id_}",
        instruction=next((line.instruction for _, line in lines if line.instruction), "")
        or _instruction(folder, domain, id_),
        steps=tuple(_join_answers(_steps(played, screens, before))),
        final=final,
        outcome=_outcome(score),
        agent=folder.parent.parent.name,
        device="osworld",
        extra={APPS: domain, **_extra(score, failed)},
    )
    return keeping.cut_short(episode, str(file), broken, 1) if broken else episode


def _read_lines(file: Path) -> tuple[list[tuple[str, _Line]], str]:
    """The lines up to one that cannot be read, and why not."""
    lines: list[tuple[str, _Line]] = []
    for where, line in foreign_record.read_lines(file):
        try:
            found = foreign_record.parse_json(_LINE, line, where)
            lines.append((where, found))
            if not (found.is_step or found.Error):
                note_left_out("steps", where, "names no action and no picture", is_fault=False)
        except ForeignDataError as error:
            return lines, str(error)
    return lines, ""


def _steps(
    played: Sequence[tuple[str, _Line]],
    screens: Sequence[keeping.Seen | None],
    before: keeping.Seen,
) -> Iterator[tuple[_Line, Step]]:
    """Each line with its steps, of which there is more than one for very many actions."""
    pointer = CallPointer(before.observation.size, "pixel")
    answered: str | None = None
    for (_, line), after in zip(played, screens, strict=True):
        actions, refused = _read_action(line, pointer)
        response = _words(line)
        answer = split_answer(response) if response != answered else Answered()
        answered = response
        log = [f"{AS_READ}{_code(line.action)}"] if refused else []
        if line.response and not response:
            log.append(f"response: {json.dumps(line.response, ensure_ascii=False)}")
        if answer.raw:
            log.append(f"response: {answer.raw}")
        made = foreign_record.make_steps(
            before.observation, actions, answer.thought, (*log, *before.log)
        )
        led = None if after is None else after.observation
        made[-1] = replace(made[-1], refused=refused, after=led)
        yield from ((line, step) for step in made)
        stale = replace(before.observation, stale=True)
        before = replace(before, observation=stale) if after is None else after


def _join_answers(made: Iterable[tuple[_Line, Step]]) -> Iterator[Step]:
    """The steps of the lines, those of one answer as one."""
    for answer, several in groupby(made, key=lambda one: _answer_of(one[0])):
        found = [step for _, step in several]
        yield from found if answer is None else foreign_record.join_look(found)


def _answer_of(line: _Line) -> tuple[str, str] | None:
    """What the lines of one answer have in common; None where that cannot be told."""
    said = _words(line)
    return (json.dumps(line.step_num), said) if said and line.step_num is not None else None


def _read_action(line: _Line, pointer: CallPointer) -> tuple[Sequence[Action], str]:
    if line.action is None:
        return [Wait(duration_s=0)], "its line names no action"
    try:
        actions = read_osworld_action(line.action, pointer, "its code")
    except ForeignDataError as error:
        return [Wait(duration_s=0)], f"no action of ours stands for what the VM ran: {error}"
    return actions or [Wait(duration_s=0)], "" if actions else "the code does nothing"


def _words(line: _Line) -> str:
    """The response if it is a text, else what an action of Claude's has of it."""
    raw = line.action.get("raw_response") if isinstance(line.action, dict) else None
    said = line.response or raw
    return said if isinstance(said, str) else ""


def _code(action: JsonValue) -> str:
    """What was run, as it is written again; a dictionary without code as JSON."""
    code = action.get("command", action.get("action")) if isinstance(action, dict) else action
    return code if isinstance(code, str) else json.dumps(action, ensure_ascii=False)


def _screens(
    folder: Path, played: Sequence[tuple[str, _Line]]
) -> tuple[keeping.Seen, Sequence[keeping.Seen | None], Observation | None]:
    """The screens before the first action, after each, None where it is not known, and the last.

    The last is None, too, where all pictures are of the screen before an action.
    """
    named = [(where, line) for where, line in played if line.screenshot_file]
    looks = keeping.see_screens(
        ((where, partial(_screen, folder, line)) for where, line in named), keeping.DESKTOP
    )
    found = dict(zip((where for where, _ in named), looks, strict=True))
    if not found:
        reason = "no line names a screenshot_file"
        note_left_out("pictures", str(folder), reason, len(played), is_fault=False)
        log = (f"{NO_PICTURE}{reason}",)
        found = {played[0][0]: keeping.Seen(keeping.stand_in(keeping.DESKTOP), log)}
    screens = [found.get(where) for where, _ in played]
    first = next(screen for screen in screens if screen is not None)
    if all(_is_before(line) for _, line in played):
        return first, [*screens[1:], None], None
    last = next(screen for screen in reversed(screens) if screen is not None).observation
    file = folder / _FIRST
    if os.path.isfile(file):
        (first,) = keeping.see_screens(
            [(str(file), partial(foreign_record.read_screen, file))], first.observation.size
        )
    else:
        first = replace(first, observation=replace(first.observation, stale=True))
    return first, screens, last


def _is_before(line: _Line) -> bool:
    """Whether the picture of a line, as OS-Symphony writes one, is of the screen before it."""
    return (
        _BEFORE.fullmatch(line.screenshot_file or "") is not None
        and bool(line.instruction)
        and isinstance(line.response, dict)
    )


def _screen(folder: Path, line: _Line) -> Observation:
    return foreign_record.read_screen(
        foreign_record.resolve_file([folder], line.screenshot_file or "")
    )


def _outcome(score: float | None) -> EpisodeOutcome:
    """A success is a full score: OSWorld's evaluators give parts of one for some tasks."""
    if score is None:
        return "unknown"
    return "success" if score >= 1 else "failure"


def _score(file: Path) -> float | None:
    if not os.path.isfile(file):
        return None
    text = foreign_record.read_bytes(file)
    found = _NUMBER.fullmatch(text)
    if found is None:
        note_left_out("fields", str(file), f"{text[:60]!r} is no score")
        return None
    word = found[1].decode()
    return float(word == "True") if word in ("True", "False") else float(word)


def _extra(score: float | None, failed: str | None) -> Mapping[str, str]:
    extra = {} if failed is None else {"error": failed[:2000]}
    return extra if score is None else {**extra, "score": f"{score:g}"}


def _place_in_results(folder: Path) -> Sequence[str]:
    """The names that tell one attempt from others: model, domain and task, and what comes before.

    Where the results lie on a disk does not matter, as an episode's id is the same everywhere.
    """
    names = folder.parts[-5:]
    start = next((at for at, name in enumerate(names) if name in _SPACES), max(len(names) - 3, 0))
    return [re.sub(r"[^\w.]+", "_", name) for name in names[start:]]


def _instruction(folder: Path, domain: str, id_: str) -> str:
    own = folder / _INSTRUCTION
    if os.path.isfile(own) and (
        told := foreign_record.read_bytes(own).decode("utf-8-sig", "replace").strip()
    ):
        return told
    below = Path("evaluation_examples", "examples", domain, f"{id_}.json")
    for above in folder.resolve().parents[:8]:
        for file in (above / below, above / Path(*below.parts[1:])):
            if os.path.isfile(file):
                return foreign_record.parse_json(
                    _TASK, foreign_record.read_bytes(file), str(file)
                ).instruction
    return keeping.note_no_instruction(str(folder))
