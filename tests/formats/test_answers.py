"""A model's whole answer, as runners record it: its thought, and never its action."""

import pytest

from tapwright.formats.importers.answers import split_answer

SEED = "_never_used_51bce0c785ca2f68081bfa7d91973934"


@pytest.mark.parametrize(
    ("answer", "thought"),
    [
        ("Thought: Open it.\r\nAction: click(start_box='(1,2)')", "Open it."),
        ("thoughts:\nI tap it\nactions:\nCLICK <point>[[1, 2]]</point>", "I tap it"),
        ("思考：打开菜单\n动作：click(start_box='(1,2)')", "打开菜单"),
        (f"<think{SEED}>Open it</think{SEED}>\nAction: click(point='1 2')", "Open it"),
        (f"<doubaothinking>Open it</doubaothinking>\n<seed:tool_call{SEED}>", "Open it"),
        (f"Open it.\n<seed:tool_call{SEED}>", "Open it."),
        ('```json\n{"Thought": "Open it", "Action": {"x": 1}}\n```', "Open it"),
        ("(Next Action)\nOpen it\n\n(Grounded Action)\n```python\nagent.x()\n```",
         "(Next Action)\nOpen it"),
    ],
)  # fmt: skip
def test_an_answer_is_split_by_its_family_s_marks(answer: str, thought: str) -> None:
    found = split_answer(answer)
    assert (found.thought, found.raw) == (thought, answer)


def test_words_about_actions_are_words() -> None:
    words = "The next actions are many. My thought is that."
    assert split_answer(words).thought == words
