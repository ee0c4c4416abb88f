"""GUI-360: agents' runs on Microsoft Office under Windows, a file of lines for each.

    <split>/data/<app>/<category>/success|fail/<id>.jsonl    a step in each line
    <split>/image/<app>/<category>/success/<id>/action_step1.png

https://huggingface.co/datasets/vyokky/GUI-360; fields and layout as they are read by
justanotheruser82174/cua-lite at 26025097, lite/data/preproc/gui360/AGENTS.md and use.py;
where the pictures lie is also as GUI-360's own evaluation finds them (2020-qqtcg/GUI-360 at
ebbe0eb2, evaluator/base.py). Places are pixels of the picture, and "keys" pywinauto's
(`send_keys.py`). A call of Office's own interface, which no hand can do, is a step that is refused;
a step without a call says that a part is done, and is none of ours, but for the last, which ends
the run; nor is a summary. What the evaluation says is the outcome.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import Field, JsonValue, TypeAdapter

from tapwright.core.actions import Action, DoubleTap, Drag, Finish, Hotkey, Scroll, Tap, TypeText
from tapwright.core.episode import APPS, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_left_out
from tapwright.formats.importers.file_importer import FileImporter, marked_lines, read_file
from tapwright.formats.importers.send_keys import read_send_keys

__all__ = ["GUI_360"]

_SCREEN = Size(1040, 736)
_ENDED = "OVERALL_FINISH"
_SCREENS_PER_CLICK = 0.1
_OUTCOMES: Mapping[str, EpisodeOutcome] = {"yes": "success", "no": "failure"}


class _Edges(foreign_record.ForeignRecord):
    left: float
    top: float
    right: float
    bottom: float


class _Action(foreign_record.ForeignRecord):
    UNUSED = frozenset({"action_type", "control_text", "control_label", "desktop_rectangle"})

    function: str | None = None
    args: dict[str, JsonValue] = Field(default_factory=dict)
    coordinate_x: float | None = None
    coordinate_y: float | None = None
    rectangle: _Edges | None = None


class _Turn(foreign_record.ForeignRecord):
    UNUSED = frozenset(
        {"screenshot_annotated", "screenshot_desktop", "observation", "tags", "ui_tree"}
        | {"control_infos"}
    )

    screenshot_clean: str = ""
    subtask: str | None = None
    thought: str | None = None
    action: _Action = _Action()
    status: str = ""


class _Evaluation(foreign_record.ForeignRecord):
    UNUSED = frozenset({"reason", "evidence", "sub_scores"})

    complete: str = ""


class _Line(foreign_record.ForeignRecord):
    UNUSED = frozenset({"total_steps", "template", "app_name", "step_id"})

    execution_id: str = ""
    request: str = ""
    app_domain: str = ""
    evaluation: _Evaluation = _Evaluation()
    step: _Turn = _Turn()


_LINE = TypeAdapter(_Line)


def _build_episode(file: Path) -> Episode:
    lines, broken = keeping.parse_whole(
        lambda one: (one[0], foreign_record.parse_json(_LINE, one[1], one[0])),
        foreign_record.read_lines(file),
    )
    if not lines:
        raise ForeignDataError(f"{file}: has no steps")
    played = [(where, line.step) for where, line in lines if _is_played(line.step, where)]
    folders = _folders(file)
    steps = keeping.build_steps(
        played,
        lambda turn: foreign_record.find_screen(folders, turn.screenshot_clean),
        _build_steps,
        _SCREEN,
    )
    first = lines[0][1]
    episode = Episode(
        id=f"gui-360-{first.execution_id or file.stem}",
        task_id=first.execution_id or file.stem,
        instruction=first.request or keeping.note_no_instruction(str(file)),
        steps=tuple(steps),
        outcome=_OUTCOMES.get(lines[-1][1].evaluation.complete, "unknown"),
        agent="UFO",
        device="windows",
        extra={APPS: first.app_domain} if first.app_domain else {},
    )
    return keeping.cut_short(episode, str(file), broken, 1) if broken else episode


def _is_played(turn: _Turn, where: str) -> bool:
    """Whether something was done, or the run ended there; a summary does nothing."""
    played = turn.action.function not in (None, "", "summary") or turn.status == _ENDED
    if not played:
        note_left_out("steps", where, "only says that a part is done", is_fault=False)
    return played


def _folders(file: Path) -> Sequence[Path]:
    """Where the pictures of a run may lie: `image` beside `data`, in the same folders."""
    folders = [file.parent.parent, file.parent]
    parts = file.parent.parent.parts
    if "data" in parts:
        at = len(parts) - 1 - parts[::-1].index("data")
        folders.insert(0, Path(*parts[:at], "image", *parts[at + 1 :]))
    return folders


def _build_steps(seen: keeping.Seen, turn: _Turn, where: str) -> list[Step]:
    def make(seen: Observation) -> list[Step]:
        actions = _read_actions(turn.action, seen.size, where)
        return foreign_record.make_steps(
            seen, actions, turn.thought or "", instruction=turn.subtask or ""
        )

    if (box := turn.action.rectangle) is not None:
        edges = foreign_record.bounds(box.left, box.top, box.right, box.bottom)
        nodes = [{"clickable": "true", "bounds": edges}]
        seen = seen.with_tree(
            lambda size: foreign_record.build_flat_tree(nodes, size, where), where
        )
    return keeping.keep_steps(
        seen,
        make,
        recorded={"function": turn.action.function, "args": turn.action.args},
        reasoning=turn.thought or "",
        instruction=turn.subtask or "",
    )


def _read_actions(read: _Action, size: Size, where: str) -> Sequence[Action]:
    args = read.args
    match read.function:
        case "" | None | "summary":
            return [Finish()]
        case "click" | "set_focus":
            kind = DoubleTap if args.get("double") is True else Tap
            button = args.get("button") or "left"
            return [kind.model_validate({"at": _place(read, size, where), "button": button})]
        case "double_click_input" | "double_click_on_coordinates":
            return [DoubleTap(at=_place(read, size, where))]
        case "type":
            return _read_typing(read, size, where)
        case "drag":
            ends = {
                end: _point(args.get(f"{end}_x"), args.get(f"{end}_y"), size, where)
                for end in ("start", "end")
            }
            key, button = args.get("key_hold"), args.get("button") or "left"
            return [Drag.model_validate({**ends, "button": button, "held": [key] if key else []})]
        case "wheel_mouse_input" if turned := args.get("wheel_dist"):
            clicks = turned if isinstance(turned, int | float) else 0.0
            return [Scroll(at=_place(read, size, where), dy=-clicks * _SCREENS_PER_CLICK)]
    raise ForeignDataError(f"{where}: no action of ours stands for {str(read.function)[:60]!r}")


def _read_typing(read: _Action, size: Size, where: str) -> Sequence[Action]:
    """Text, or keys, into the element that is touched before."""
    text, keys = read.args.get("text"), read.args.get("keys")
    at = None if read.coordinate_x is None else _place(read, size, where)
    clear = read.args.get("clear_current_text") is True
    if isinstance(text, str) and (text or not keys):
        return [TypeText(text=text, at=at, clear=clear)]
    if not isinstance(keys, str):
        raise ForeignDataError(f"{where}: types neither text nor keys")
    focus: list[Action] = [] if at is None else [Tap(at=at)]
    emptied: list[Action] = [Hotkey(keys=("control", "a"))] if clear else []
    return [*focus, *emptied, *read_send_keys(keys, where)]


def _place(read: _Action, size: Size, where: str) -> Point:
    x = read.args.get("x") if read.coordinate_x is None else read.coordinate_x
    y = read.args.get("y") if read.coordinate_y is None else read.coordinate_y
    return _point(x, y, size, where)


def _point(x: JsonValue, y: JsonValue, size: Size, where: str) -> Point:
    if not (isinstance(x, int | float) and isinstance(y, int | float)):
        raise ForeignDataError(f"{where}: the place ({x}, {y}) is no x, y")
    return foreign_record.pixel_center(x, y, size)


GUI_360 = FileImporter(
    "gui-360",
    marked_lines(read_file(_build_episode), b'"execution_id"', b'"screenshot_clean"', b'"request"'),
)
