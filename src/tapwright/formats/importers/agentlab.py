"""BrowserGym's and AgentLab's experiments: https://github.com/ServiceNow/BrowserGym/tree/9e779f0.

A folder of an experiment (browsergym/experiments/src/browsergym/experiments/loop.py, `ExpArgs` and
`StepInfo`) has

    exp_args.pkl                  the task's name and seed, and the agent
    step_<n>.pkl.gz               a step: what was observed, the action and the agent's thoughts
    screenshot_step_<n>.png|jpg   its picture
    goal_object.pkl.gz            what was asked, in parts
    summary_info.json             reward, whether it ended or was cut, the error if there was one

Pickles are read as data: no class of theirs is looked up. An action names elements, whose places
are those of the step. What no action stands for (`select_option`) becomes a wait of no time,
refused with the reason, and stands in the step's log. What the page said of a failed action is the
reason why that step was refused.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tapwright.core.actions import Action, Wait
from tapwright.core.episode import Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import BrowserTab, Observation, UiTree
from tapwright.errors import BadAnswerError
from tapwright.formats import temporary_storage
from tapwright.formats.errors import ForeignDataError
from tapwright.formats.format import UnreadableEpisode
from tapwright.formats.importers import foreign_record, keeping
from tapwright.formats.importers.account import note_file
from tapwright.formats.importers.agentlab_actions import read_browsergym_actions
from tapwright.formats.pickles.objects import ObjectUnpickler, PickledObject
from tapwright.formats.pickles.read import read_pickles

__all__ = ["AGENTLAB", "AgentLab"]

_STEP = re.compile(r"step_(\d{1,5})\.pkl\.gz", re.ASCII)
_ARGUMENTS, _SUMMARY = "exp_args.pkl", "summary_info.json"
_VIEWPORT = Size(1280, 720)
"""The default of BrowserGym (browsergym/core/src/browsergym/core/env.py)."""


class _Summary(foreign_record.ForeignRecord):
    UNUSED = frozenset({"n_steps", "cum_raw_reward", "stack_trace"})

    cum_reward: float | None = None
    err_msg: str | None = None
    terminated: bool | None = None
    truncated: bool | None = None


_SUMMARIES = TypeAdapter(_Summary)


class AgentLab:
    """Reads the folders that BrowserGym's experiments leave."""

    name = "agentlab"

    def recognizes(self, path: Path) -> bool:
        """Whether it is a folder with an experiment's arguments."""
        return os.path.isfile(path / _ARGUMENTS)

    def read(self, path: Path) -> Iterator[Episode | UnreadableEpisode]:
        """Yields the experiments below a folder, in the order of their paths.

        Raises:
            ForeignDataError: no step is there.
        """
        storage = temporary_storage.TemporaryStorage()
        folders = {
            file.parent for file in foreign_record.find_files(path, "step_0.pkl.gz", _ARGUMENTS)
        }
        return foreign_record.read_each(
            sorted(folders),
            lambda folder: _read_experiment(folder, storage),
            f"{path}: no step_0.pkl.gz in it",
            hint="give the folder of a study or experiment",
        )


AGENTLAB = AgentLab()


def _read_experiment(folder: Path, storage: temporary_storage.TemporaryStorage) -> Episode:
    numbers = sorted(
        int(match[1]) for file in folder.iterdir() if (match := _STEP.fullmatch(file.name))
    )
    summary = _summary(folder)
    infos, problem = _read_steps(folder, numbers, storage)
    if not infos:
        why = (summary.err_msg or "").strip().splitlines()[:1]
        raise ForeignDataError(problem or f"{folder}: ended before its first step: {''.join(why)}")
    task, seed, agent = _arguments(folder, storage)
    steps, final = _steps(infos, _screens(folder, infos), folder)
    instruction = _goal(infos, folder, storage) or keeping.note_no_instruction(str(folder))
    mark = "\n".join(
        [task, seed, agent, *(temporary_storage.load_text(info.get("action")) for info in infos)]
    )
    digest = hashlib.sha256(mark.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    extra = {
        "seed": seed,
        "reward": "" if summary.cum_reward is None else f"{summary.cum_reward:g}",
        "error": (summary.err_msg or "")[:2000],
    }
    episode = Episode(
        id=f"agentlab-{re.sub(r'[^A-Za-z0-9_.-]', '-', task)}-{digest}",
        task_id=task,
        instruction=instruction,
        steps=tuple(steps),
        final=final,
        outcome=_outcome(summary),
        agent=agent,
        device="browsergym",
        extra={name: value for name, value in extra.items() if value},
    )
    lost = max([*numbers, len(infos)]) + 1 - len(infos)
    return keeping.cut_short(episode, str(folder), problem, lost) if problem else episode


def _read_steps(
    folder: Path, numbers: Sequence[int], storage: temporary_storage.TemporaryStorage
) -> tuple[list[Mapping[str, Any]], str]:
    """The steps up to one that is missing or cannot be read, and why."""
    infos: list[Mapping[str, Any]] = []
    for number in range(max(numbers, default=-1) + 1):
        if number not in numbers:
            return infos, f"{folder}: step {number} is missing; there is step {numbers[-1]}"
        try:
            infos.append(_read_object(folder / f"step_{number}.pkl.gz", storage))
        except ForeignDataError as error:
            return infos, str(error)
    return infos, ""


def _read_object(file: Path, storage: temporary_storage.TemporaryStorage) -> Mapping[str, Any]:
    """The attributes of the one object in a file, or the value if it is a list in `value`."""
    note_file(file)
    with temporary_storage.open_encoder_pool() as pool:
        values = temporary_storage.TemporaryValues(file, pool, storage)
        for value in read_pickles(file, values, ObjectUnpickler):
            return value.attributes if isinstance(value, PickledObject) else {"value": value}
    raise ForeignDataError(f"{file}: is empty")


def _screens(folder: Path, infos: Sequence[Mapping[str, Any]]) -> list[keeping.Seen]:
    """What was seen at each step; of a run without pictures, the elements on stand-ins."""
    files = [_picture(folder, number) for number in range(len(infos))]
    looks = (
        (f"{folder}, step {number}", partial(_look, folder, number, file))
        for number, file in enumerate(files)
    )
    pictures = keeping.see_screens(looks, _VIEWPORT, is_fault=any(files))
    return [
        replace(one, observation=_observe(one.observation, info.get("obs"), str(folder)))
        for one, info in zip(pictures, infos, strict=True)
    ]


def _picture(folder: Path, number: int) -> Path | None:
    files = (folder / f"screenshot_step_{number}{suffix}" for suffix in (".png", ".jpg"))
    return next((one for one in files if os.path.isfile(one)), None)


def _look(folder: Path, number: int, file: Path | None) -> Observation:
    if file is None:
        raise ForeignDataError(
            f"{folder}, step {number}: has no screenshot; run with save_screenshot=True"
        )
    return foreign_record.read_screen(file)


def _observe(read: Observation, seen: object, origin: str) -> Observation:
    """The screen with its elements, the tabs and the time, where they are known."""
    if not isinstance(seen, dict):
        return read
    titles, urls = _texts(seen.get("open_pages_titles")), _texts(seen.get("open_pages_urls"))
    active = _number(seen.get("active_page_index"))
    tabs = tuple(
        BrowserTab(title, url, index == active)
        for index, (title, url) in enumerate(zip(titles, urls, strict=False))
    )
    return Observation(
        screenshot=read.screenshot,
        size=read.size,
        ui_tree=_tree(seen, read.size, origin),
        time_s=_number(seen.get("elapsed_time")) or 0.0,
        url=temporary_storage.load_text(seen.get("url")),
        tabs=tabs,
    )


def _tree(seen: Mapping[str, Any], size: Size, origin: str) -> UiTree | None:
    """The elements that have a place, one level deep: bid, role, name and whether one clicks it."""
    properties = seen.get("extra_element_properties")
    if not isinstance(properties, dict):
        return None
    words = dict(_words(seen.get("axtree_object")))
    nodes = []
    for bid, found in properties.items():
        box = _box(found)
        if box is None or not isinstance(bid, str):
            continue
        left, top, right, bottom = box
        role, name = words.get(bid, ("", ""))
        clickable = str(bool(found.get("clickable"))).lower()
        nodes.append(
            {"text": name, "resource-id": bid, "class": role, "clickable": clickable,
             "bounds": f"[{left},{top}][{right},{bottom}]"}
        )  # fmt: skip
    return foreign_record.build_flat_tree(nodes, size, origin)


def _words(tree: object) -> Iterator[tuple[str, tuple[str, str]]]:
    """The role and the name of each element, by its bid, from Chromium's accessibility tree."""
    nodes = tree.get("nodes") if isinstance(tree, dict) else None
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and isinstance(node.get("browsergym_id"), str):
            role, name = (
                temporary_storage.load_text(value.get("value"))
                if isinstance(value := node.get(key), dict)
                else ""
                for key in ("role", "name")
            )
            yield node["browsergym_id"], (role, name)


def _box(found: object) -> tuple[int, int, int, int] | None:
    """Left, top, right, bottom, of what is seen; BrowserGym has left, top, width, height."""
    if not isinstance(found, dict) or not found.get("visibility"):
        return None
    box = found.get("bbox")
    if not isinstance(box, list | tuple) or len(box) != 4:
        return None
    edges = [_number(one) for one in box]
    left, top, width, height = (0.0 if one is None else one for one in edges)
    if None in edges or not all(abs(one or 0) < 1e6 for one in edges) or min(width, height) <= 0:
        return None
    return round(left), round(top), round(left + width), round(top + height)


def _steps(
    infos: Sequence[Mapping[str, Any]], screens: Sequence[keeping.Seen], folder: Path
) -> tuple[list[Step], Observation | None]:
    steps: list[Step] = []
    for number, (info, seen) in enumerate(zip(infos, screens, strict=True)):
        action = temporary_storage.load_text(info.get("action"))
        if not action:
            continue
        failed = _error_after(infos[number + 1 :])
        actions, refused = _read_action(action, seen.observation)
        log = [*([f"browsergym: {action}"] if refused else []), *seen.log]
        made = foreign_record.make_steps(seen.observation, actions, _thoughts(info), log)
        steps.extend(replace(one, refused=refused or failed) for one in made)
    last = screens[-1] if not temporary_storage.load_text(infos[-1].get("action")) else None
    return steps, last.observation if last is not None and not last.log else None


def _read_action(action: str, screen: Observation) -> tuple[Sequence[Action], str]:
    tree = screen.ui_tree
    centers: Mapping[str, Point] = {}
    if tree is not None:
        centers = {node.resource_id: node.box.center for node in tree.nodes if node.box}
    try:
        return read_browsergym_actions(action, screen.size, centers), ""
    except BadAnswerError as error:
        return [Wait(duration_s=0)], str(error)


def _error_after(later: Sequence[Mapping[str, Any]]) -> str:
    seen = later[0].get("obs") if later else None
    return (
        temporary_storage.load_text(seen.get("last_action_error")).strip()[:1000]
        if isinstance(seen, dict)
        else ""
    )


def _thoughts(info: Mapping[str, Any]) -> str:
    """AgentLab's agents keep their thoughts as `think`, in a dictionary of its own class."""
    told = info.get("agent_info")
    if isinstance(told, PickledObject):
        told = {**dict(told.items), **told.attributes}
    return temporary_storage.load_text(told.get("think")) if isinstance(told, dict) else ""


def _arguments(folder: Path, storage: temporary_storage.TemporaryStorage) -> tuple[str, str, str]:
    """The task's name, its seed and the agent's name."""
    file = folder / _ARGUMENTS
    found = _read_object(file, storage) if os.path.isfile(file) else {}
    task, agent = found.get("env_args"), found.get("agent_args")
    named = task.attributes if isinstance(task, PickledObject) else {}
    name = temporary_storage.load_text(named.get("task_name")) or folder.name
    seed = _number(named.get("task_seed"))
    who = (
        temporary_storage.load_text(agent.attributes.get("agent_name"))
        if isinstance(agent, PickledObject)
        else ""
    )
    return name, "" if seed is None else f"{seed:g}", who


def _goal(
    infos: Sequence[Mapping[str, Any]], folder: Path, storage: temporary_storage.TemporaryStorage
) -> str:
    """What is asked, in words: the goal, or its parts that are text."""
    seen = infos[0].get("obs")
    goal = temporary_storage.load_text(seen.get("goal")) if isinstance(seen, dict) else ""
    parts = folder / "goal_object.pkl.gz"
    if goal or not os.path.isfile(parts):
        return goal
    values = _read_object(parts, storage).get("value")
    listed = values if isinstance(values, list | tuple) else ()
    texts = (
        temporary_storage.load_text(part.get("text")) for part in listed if isinstance(part, dict)
    )
    return "\n".join(text for text in texts if text)


def _summary(folder: Path) -> _Summary:
    file = folder / _SUMMARY
    if not os.path.isfile(file):
        return _Summary()
    return foreign_record.parse_json(_SUMMARIES, foreign_record.read_bytes(file), str(file))


def _outcome(summary: _Summary) -> EpisodeOutcome:
    if summary.err_msg:
        return "interrupted"
    if summary.cum_reward is not None and summary.cum_reward >= 1:
        return "success"
    if summary.truncated:
        return "truncated"
    return "failure" if summary.terminated else "unknown"


def _texts(value: object) -> list[str]:
    return (
        [temporary_storage.load_text(one) for one in value]
        if isinstance(value, list | tuple)
        else []
    )


def _number(value: object) -> float | None:
    """A number, also NumPy's, also an array of one."""
    if hasattr(value, "item"):
        value = value.item() if getattr(value, "size", 1) == 1 else None
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return float(value)
    return None
