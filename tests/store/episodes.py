"""Small episodes for tests of what is stored."""

from tapwright.actions import Tap
from tapwright.devices.fake import painted_scene
from tapwright.episode import Decision, Episode, Step
from tapwright.geometry import Point, Size
from tapwright.observation import Observation, UiTree
from tapwright.screenshot import Screenshot

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
