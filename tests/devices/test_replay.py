from tapwright.core.actions import Answer, Tap, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.devices.replay import ReplayDevice

SIZE = Size(40, 80)
TAP = Tap(at=Point(0.5, 0.4))
SEEN = [Observation(Screenshot(painted_scene(number, SIZE).picture), SIZE) for number in range(3)]


def test_what_was_told_to_the_user_is_no_step_of_the_device() -> None:
    steps = (
        Step(SEEN[0], Decision(TAP)),
        Step(SEEN[1], Decision(Answer(text="42"))),
        Step(SEEN[1], Decision(Wait())),
    )
    device = ReplayDevice(Episode("e", "t", "Go", steps, final=SEEN[2]))
    device.reset()
    device.perform(TAP)
    device.perform(Answer(text="42"))
    assert device.observe() == SEEN[1]
    device.perform(Wait())
    assert device.observe() == SEEN[2]
    assert device.diverged == []
