from tapwright.conventions.remembered import remember
from tapwright.core.actions import Tap
from tapwright.core.episode import Decision
from tapwright.core.geometry import Point, Size

PHONE, DESKTOP = Size(1080, 2400), Size(1920, 1080)


def test_a_decision_is_said_once_for_each_screen_and_never_for_another() -> None:
    said: list[str] = []

    @remember
    def say(decision: Decision, size: Size) -> str:
        said.append(f"{decision.reasoning} on {size}")
        return said[-1]

    many = [Decision(Tap(at=Point(0.5, 0.5)), str(number)) for number in range(3000)]
    for decision in many:
        assert say(decision, PHONE) == say(decision, PHONE) == f"{decision.reasoning} on {PHONE}"
    assert len(said) == len(many)
    assert say(many[-1], DESKTOP) == f"2999 on {DESKTOP}"
    # One that is gone gives its place in memory to the next.
    answers = {say(Decision(Tap(at=Point(0.5, 0.5)), str(number)), PHONE) for number in range(3000)}
    assert len(answers) == 3000
