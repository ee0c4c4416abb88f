"""A model as the witness of a milestone."""

import pytest

from tapwright.core.messages import Picture
from tapwright.devices.fake import FakeDevice
from tapwright.evaluate.errors import UnjudgedWarning
from tapwright.evaluate.vlm_judge import VlmJudge, read_verdict
from tapwright.models.scripted import ScriptedModel
from tapwright.tasks.milestones.frames import MilestoneFrame, ScreenQuestion


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"answer": "yes", "reason": "it is paid"}', True),
        ('```json\n{"answer": "No", "reason": "}"}\n```', False),
        ("{'answer': true}", True),
        ("Yes.", True),
        ("no", False),
        ("It may be so.", None),
        ('{"answer": "yes and no"}', None),
        ('{"reason": "yes"}', None),
        ("", None),
        ("[" * 5000, None),
    ],
)
def test_only_a_plain_yes_or_no_is_an_answer(text: str, said: bool | None) -> None:
    assert read_verdict(text) is said


def test_the_witness_sees_the_screens_and_is_told_which_is_meant() -> None:
    with FakeDevice() as device:
        device.reset()
        frame = MilestoneFrame(screen=device.observe())
    model = ScriptedModel(['{"answer": "yes"}', "perhaps"])
    with VlmJudge(model) as witness:
        assert witness(ScreenQuestion("Is it blue?", "Press the button", (frame, frame), 1)) is True
        with pytest.warns(UnjudgedWarning, match="'Is it red.' stays unknown: .*: 'perhaps'"):
            assert witness(ScreenQuestion("Is it red?", "Press the button", (frame,))) is None
    (message,) = model.requests[0]
    assert sum(isinstance(part, Picture) for part in message.parts) == 2
    assert "last of the two" in message.text
    assert "Is it blue?" in message.text
