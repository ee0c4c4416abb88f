"""What a client's calls do to a device: every tool and every resource, without the protocol.

A tool answers with words, and with the screen that it led to. What is wrong with a call is an
answer, too, so that a model can try again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

from pydantic import JsonValue

from tapwright.core.episode import Episode, describe_actions
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.device import keys_of
from tapwright.errors import NothingFoundError, TapwrightError
from tapwright.faces import tools
from tapwright.faces.errors import BAD_TOOL_CALL
from tapwright.faces.session import Session, Turn
from tapwright.store.store import EpisodeStore
from tapwright.tasks.task import Task

__all__ = ["EPISODES", "TASK", "Hands", "Reply"]

TASK = "tapwright://task"
EPISODES = "tapwright://episodes"
_MAX_TREE = 200_000
"""Characters of a view hierarchy that a client is sent; pages of the web have more."""
_NO_ARGUMENTS: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
_LOOKS = (
    tools.ActionTool(
        "screenshot", "Look at the screen as it is now: a picture of it.", _NO_ARGUMENTS
    ),
    tools.ActionTool(
        "tree",
        "The elements of the screen as it is now: XML with texts, descriptions, ids and bounds, "
        "[left,top][right,bottom] in the unit of the places that the other tools take.",
        _NO_ARGUMENTS,
    ),
    tools.ActionTool(
        "start_over",
        "End the attempt in progress as it is, set the device up again, and look at the screen.",
        {
            "type": "object",
            "properties": {
                "seed": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": tools.MAX_SEED,
                    "description": "Of the device's data; by default the task's own.",
                }
            },
            "additionalProperties": False,
        },
    ),
)
_LOOKS_TAKE: Mapping[str, set[str]] = {"screenshot": set(), "tree": set(), "start_over": {"seed"}}


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a tool: words, and the screen if it shows one."""

    text: str
    picture: Screenshot | None = None
    is_error: bool = False


class Hands:
    """The tools and resources of one device, which is set up for `task` when it is first used.

    Calls come from any thread and are done one at a time, in their order. Pictures have at most
    `max_side` pixels a side. `recordings` is the store that the session writes to: a client reads
    the episodes there that it has played itself, and no others.
    """

    def __init__(
        self,
        session: Session,
        task: Task,
        *,
        unit: tools.Unit = "pixel",
        max_side: int = 1568,
        recordings: EpisodeStore | None = None,
    ) -> None:
        self._session = session
        self._task = task
        self._unit = unit
        self._max_side = max_side
        self._recordings = recordings
        self._begun = False
        self._recorded: dict[str, None] = {}
        self._lock = Lock()

    def tools(self) -> Sequence[tools.ActionTool]:
        """Every tool: those that look, and one for each action."""
        keys = keys_of(self._session.device)
        return (*_LOOKS, *tools.action_tools(self._unit, keys))

    def call(self, name: str, arguments: Mapping[str, JsonValue]) -> Reply:
        """Do what a call asks for; one that cannot be done is answered with the reason."""
        with self._lock:
            try:
                return self._call(name, arguments)
            except TapwrightError as error:
                return Reply(f"{error}" + (f"; {error.hint}" if error.hint else ""), is_error=True)

    def read(self, address: str) -> JsonValue:
        """The content of a resource.

        Raises:
            NothingFoundError: there is none at this address.
            StoreError: the episode is not there, or damaged.
        """
        with self._lock:
            if address == TASK:
                return self._describe_task()
            if self._recordings is not None and address == EPISODES:
                return [_summarize(self._recordings.read(id_)) for id_ in self._recorded]
            if self._recordings is not None and address.startswith(f"{EPISODES}/"):
                id_ = address.removeprefix(f"{EPISODES}/")
                if id_ in self._recorded:
                    return _describe_episode(self._recordings.read(id_))
        raise NothingFoundError(f"no resource is at {address}", hint=f"read {TASK}")

    def close(self) -> None:
        """End the attempt in progress, and close the device."""
        with self._lock:
            self._session.close()

    def _call(self, name: str, arguments: Mapping[str, JsonValue]) -> Reply:
        if name in _LOOKS_TAKE and (odd := arguments.keys() - _LOOKS_TAKE[name]):
            raise BAD_TOOL_CALL(f"{name} takes no argument {min(odd)[:80]!r}")
        if name == "start_over":
            return self._show(self._begin(tools.read_seed(arguments.get("seed"))))
        if not self._begun:
            self._begin(None)
        if name == "screenshot":
            return self._show(self._session.look())
        if name == "tree":
            turn = self._session.look()
            return Reply(self._tree_text(turn.observation, self._picture(turn).size))
        picture = self._picture(self._session.turn)
        decision = tools.read_decision(name, arguments, self._unit, picture.size)
        turn = self._session.act(decision)
        if self._recordings is not None:
            self._recorded[self._session.episode_id] = None
        done = describe_actions(decision.actions)
        said = f"refused: {turn.refused}" if turn.refused else f"done: {done}"
        return self._show(turn, said)

    def _begin(self, seed: int | None) -> Turn:
        self._begun = False
        turn = self._session.reset(self._task, seed=seed)
        self._begun = True
        return turn

    def _picture(self, turn: Turn) -> Screenshot:
        return tools.shrink_picture(turn.observation.screenshot, self._max_side)

    def _show(self, turn: Turn, said: str = "") -> Reply:
        picture = self._picture(turn)
        seen = turn.observation
        lines = [
            said,
            f"screen: {picture.size} pixels" + (f", {seen.app}" if seen.app else ""),
            f"address: {seen.url}" if seen.url else "",
            *(f"tab {n}: {tab.title} {tab.url}" for n, tab in enumerate(seen.tabs)),
            *(f"the task says: {text}" for text in turn.instructions if text != seen.message),
            f"the user says: {seen.message}" if seen.message else "",
            f"the attempt has ended: {turn.outcome}; start_over begins the next" * turn.ended,
        ]
        return Reply("\n".join(filter(None, lines)), picture)

    def _tree_text(self, seen: Observation, picture: Size) -> str:
        if seen.ui_tree is None:
            return "this device has no view hierarchy; look at its screenshot"
        xml = tools.convert_bounds(seen.ui_tree, picture if self._unit == "pixel" else None)
        if len(xml) <= _MAX_TREE:
            return xml
        return f"{xml[:_MAX_TREE]}\n… cut: {_MAX_TREE:,} of {len(xml):,} characters are shown"

    def _describe_task(self) -> JsonValue:
        turn = self._session.turn if self._begun else None
        return {
            "id": self._task.id,
            "instruction": turn.instruction if turn else self._task.instruction,
            "apps": list(self._task.apps),
            "max_steps": self._task.max_steps,
            "device": self._session.device.name,
            "unit": self._unit,
            "step": turn.step if turn else 0,
            "outcome": turn.outcome if turn else None,
            "episode": self._session.episode_id,
        }


def _summarize(episode: Episode) -> dict[str, JsonValue]:
    return {
        "id": episode.id,
        "task": episode.task_id,
        "instruction": episode.instruction,
        "outcome": episode.outcome,
        "steps": len(episode.steps),
    }


def _describe_episode(episode: Episode) -> JsonValue:
    actions: list[JsonValue] = [
        {
            **part.decision.action.model_dump(mode="json"),
            "reasoning": part.decision.reasoning,
            "refused": part.refused,
        }
        for step in episode.steps
        for part in step.parts
    ]
    return {**_summarize(episode), "actions": actions}
