"""Small annotated episodes to make training sets of, and a convention that speaks in turns."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tapwright.conventions.convention import Space
from tapwright.conventions.json import JSON_CONVENTION
from tapwright.core.actions import Action, Finish, Tap, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.formats.exporters.job import export_sft
from tapwright.formats.exporters.samples import TrainingEpisode
from tapwright.formats.exporters.training_set import SftFormat, SftReport, SftSettings

SIZE = Size(40, 80)
SETTINGS = SftSettings(JSON_CONVENTION)
XML = (
    '<hierarchy><node clickable="true" bounds="[0,0][40,80]">'
    '<node clickable="true" bounds="[4,40][36,72]"/></node></hierarchy>'
)


def step(action: Action, number: int = 0, *, reasoning: str = "Because.", target: str = "") -> Step:
    shot = Screenshot(painted_scene(number, SIZE).picture)
    seen = Observation(shot, SIZE, UiTree(XML, SIZE))
    return Step(seen, Decision(action, reasoning, target))


def episode(id_: str, *steps: Step, instruction: str = "Go") -> Episode:
    return Episode(id=id_, task_id="t", instruction=instruction, steps=steps)


TAP = step(Tap(at=Point(0.25, 0.75)), 1, target="the button")
TWO = [episode("a", TAP, step(Finish(), 2)), episode("c.x", step(Wait(), 3))]


class MultiTurn:
    """The JSON convention, with earlier steps as turns of their own, pictures and all."""

    name = "turns"
    source = "tapwright"
    space: Space = "permille"

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        turns = [Message("system", (Text("You act."),))]
        asked = f"{instruction}: "
        for told in history:
            seen = told.observation
            turns.append(Message("user", (Text(asked), Picture(seen.screenshot))))
            answer = JSON_CONVENTION.render(told.decision, seen.size)
            turns.append(Message("assistant", (Text(answer),)))
            asked = "And now? "
        return [*turns, Message("user", (Text(asked), Picture(observation.screenshot)))]

    def render(self, decision: Decision, size: Size) -> str:
        return JSON_CONVENTION.render(decision, size)

    def parse(self, text: str, size: Size) -> Decision:
        return JSON_CONVENTION.parse(text, size)


def export(
    format_: SftFormat,
    episodes: Sequence[Episode],
    directory: Path,
    settings: SftSettings = SETTINGS,
) -> SftReport:
    return export_sft(
        format_, [TrainingEpisode.from_episode(one) for one in episodes], directory, settings
    )


def files(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def rows(path: Path) -> list[dict[str, Any]]:
    text = path.read_text("utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    found: list[dict[str, Any]] = json.loads(text)
    return found
