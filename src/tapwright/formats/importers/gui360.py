"""GUI-360: agents' runs on Microsoft Office under Windows, a file of lines for each.

    <split>/data/<app>/<category>/success|fail/<id>.jsonl    a step in each line
    <split>/image/<app>/<category>/success/<id>/action_step1.png

https://huggingface.co/datasets/vyokky/GUI-360; fields and layout as they are read by
justanotheruser82174/cua-lite at 26025097, lite/data/preproc/gui360/AGENTS.md.

Places are pixels of the picture. A call of Office's own interface, which no hand can do, is a step
that is refused; a step without a call says that a part is done, and is none of ours, but for the
last, which ends the run. What the evaluation says is the outcome.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import (
    Action,
    DoubleTap,
    Drag,
    Finish,
    Scroll,
    Tap,
    TypeText,
)
from tapwright.core.episode import APPS, Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers.foreign_record import (
    ForeignRecord,
    build_flat_tree,
    find_files,
    head_contains,
    parse_json,
    pixel_center,
    read_lines,
    read_or_report,
    read_screen,
    resolve_file,
)
from tapwright.formats.importers.keeping import (
    Seen,
    cut_short,
    keep_steps,
    note_no_instruction,
    see_screens,
)

__all__ = ["GUI_360", "Gui360"]

_SCREEN = Size(1040, 736)
_ENDED = "OVERALL_FINISH"
_SCREENS_PER_CLICK = 0.1
_OUTCOMES: Mapping[str, EpisodeOutcome] = {"yes": "success", "no": "failure"}


class _Edges(ForeignRecord):
    left: float
    top: float
    right: float
    bottom: float


class _Action(ForeignRecord):
    UNUSED = frozenset({"action_type", "control_text", "control_label", "desktop_rectangle"})

    function: str | None = None
    args: dict[str, JsonValue] = Field(default_factory=dict)
    coordinate_x: float | None = None
    coordinate_y: float | None = None
    rectangle: _Edges | None = None


class _Turn(ForeignRecord):
    UNUSED = frozenset(
        {"screenshot_annotated", "screenshot_desktop", "observation", "tags", "ui_tree"}
        | {"control_infos"}
    )

    screenshot_clean: str = ""
    subtask: str | None = None
    thought: str | None = None
    action: _Action = _Action()
    status: str = ""


class _Evaluation(ForeignRecord):
    UNUSED = frozenset({"reason", "evidence", "sub_scores"})

    complete: str = ""


class _Line(ForeignRecord):
    UNUSED = frozenset({"total_steps", "template", "app_name"})

    execution_id: str
    request: str = ""
    app_domain: str = ""
    step_id: int
    evaluation: _Evaluation = _Evaluation()
    step: _Turn


_LINE = TypeAdapter(_Line)


class Gui360:
    """Reads GUI-360's runs."""

    name = "gui-360"

    def recognizes(self, path: Path) -> bool:
        """Whether a file is one of its runs."""
        return head_contains(path, ".jsonl", b'"execution_id"', b'"screenshot_clean"', b'"request"')

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the run in a file, or those in the .jsonl files below a directory.

        Raises:
            ForeignDataError: no such file exists.
        """
        found = False
        for file in find_files(path, "*.jsonl"):
            found = True
            yield read_or_report(str(file), partial(_build_episode, file))
        if not found:
            raise ForeignDataError(f"{path}: no .jsonl file in it")


GUI_360 = Gui360()


def _build_episode(file: Path) -> Episode:
    lines, broken = _read_lines(file)
    if not lines:
        raise ForeignDataError(broken or f"{file}: has no steps")
    played = [(where, line) for where, line in lines if _is_played(line.step)]
    folders = _folders(file)
    looks = ((where, partial(_look, folders, line.step)) for where, line in played)
    steps = [
        step
        for seen, (where, line) in zip(see_screens(looks, _SCREEN), played, strict=True)
        for step in _build_steps(seen, line.step, where)
    ]
    first = lines[0][1]
    episode = Episode(
        id=f"gui-360-{first.execution_id}",
        task_id=first.execution_id,
        instruction=first.request or note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome=_OUTCOMES.get(lines[-1][1].evaluation.complete, "unknown"),
        agent="UFO",
        device="windows",
        extra={APPS: first.app_domain} if first.app_domain else {},
    )
    return cut_short(episode, str(file), broken, 1) if broken else episode


def _read_lines(file: Path) -> tuple[list[tuple[str, _Line]], str]:
    """The lines up to one that cannot be read, and why not."""
    lines: list[tuple[str, _Line]] = []
    for where, line in read_lines(file):
        try:
            lines.append((where, parse_json(_LINE, line, where)))
        except ForeignDataError as error:
            return lines, str(error)
    return lines, ""


def _is_played(turn: _Turn) -> bool:
    """Whether something was done, or the run ended there."""
    return bool(turn.action.function) or turn.status == _ENDED


def _folders(file: Path) -> Sequence[Path]:
    """Where the pictures of a run may lie: `image` beside `data`, in the same folders."""
    folders = [file.parent.parent, file.parent]
    parts = file.parent.parent.parts
    if "data" in parts:
        at = len(parts) - 1 - parts[::-1].index("data")
        folders.insert(0, Path(*parts[:at], "image", *parts[at + 1 :]))
    return folders


def _look(folders: Sequence[Path], turn: _Turn) -> Observation:
    return read_screen(resolve_file(folders, turn.screenshot_clean.replace("\\", "/")))


def _build_steps(seen: Seen, turn: _Turn, where: str) -> list[Step]:
    def make(observation: Observation) -> list[Step]:
        action = _read_action(turn.action, observation.size, where)
        decision = Decision(action, turn.thought or "")
        return [Step(observation, decision, step_instruction=turn.subtask or "")]

    if turn.action.rectangle is not None:
        seen = seen.with_tree(partial(_build_tree, turn.action.rectangle, where), where)
    return keep_steps(
        seen,
        make,
        recorded={"function": turn.action.function, "args": turn.action.args},
        reasoning=turn.thought or "",
        instruction=turn.subtask or "",
    )


def _build_tree(box: _Edges, where: str, size: Size) -> UiTree:
    edges = (box.left, box.top, box.right, box.bottom)
    node = {"clickable": "true", "bounds": "[{:.0f},{:.0f}][{:.0f},{:.0f}]".format(*edges)}
    return build_flat_tree([node], size, where)


def _read_action(read: _Action, size: Size, where: str) -> Action:
    args = read.args
    match read.function:
        case "" | None:
            return Finish()
        case "click" | "set_focus":
            at, button = _place(read, size, where), args.get("button") or "left"
            if args.get("double") is True and button == "left":
                return DoubleTap(at=at)
            if button in ("left", "right", "middle"):
                return Tap.model_validate({"at": at, "button": button})
        case "double_click_input" | "double_click_on_coordinates":
            return DoubleTap(at=_place(read, size, where))
        case "type" if isinstance(text := args.get("text"), str):
            clear = args.get("clear_current_text") is True
            known = read.coordinate_x is not None
            at_ = _place(read, size, where) if known else None
            return TypeText(text=text, at=at_, clear=clear)
        case "drag" if not args.get("key_hold"):
            start, end = (
                _point(args.get(f"{end}_x"), args.get(f"{end}_y"), size, where)
                for end in ("start", "end")
            )
            return Drag(start=start, end=end)
        case "wheel_mouse_input" if isinstance(turned := args.get("wheel_dist"), int | float):
            return Scroll(at=_place(read, size, where), dy=-turned * _SCREENS_PER_CLICK)
    raise ForeignDataError(f"{where}: no action of ours stands for {str(read.function)[:60]!r}")


def _place(read: _Action, size: Size, where: str) -> Point:
    x = read.args.get("x") if read.coordinate_x is None else read.coordinate_x
    y = read.args.get("y") if read.coordinate_y is None else read.coordinate_y
    return _point(x, y, size, where)


def _point(x: JsonValue, y: JsonValue, size: Size, where: str) -> Point:
    if not (isinstance(x, int | float) and isinstance(y, int | float)):
        raise ForeignDataError(f"{where}: the place ({x}, {y}) is no x, y")
    return pixel_center(x, y, size)
