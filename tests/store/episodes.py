"""Small episodes for tests of what is stored."""

from tapwright.core.actions import Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene

SIZE = Size(40, 80)


def step(number: int) -> Step:
    scene = painted_scene(number, SIZE)
    return Step(
        observation=Observation(Screenshot(scene.picture), SIZE, UiTree(scene.xml, SIZE)),
        decision=Decision(Tap(at=Point(0.5, 0.25)), reasoning=f"because {number}"),
    )


def episode(steps: int = 3, id_: str = "demo") -> Episode:
    return Episode(
        id=id_,
        task_id="task",
        instruction="Tap the buttons",
        steps=tuple(step(number) for number in range(steps)),
        outcome="success",
    )
