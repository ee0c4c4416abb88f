import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.conventions.android_tools import answer_message, chat_messages
from tapwright.conventions.chat import Chat
from tapwright.conventions.errors import BadChatError, ChatPrefixError
from tapwright.conventions.function_calls import TOOLS
from tapwright.conventions.training_text import render_pair
from tapwright.core.episode import Decision
from tapwright.devices.fake import FakeDevice
from tests.conventions.test_android_tools import DECISIONS

SEEN = FakeDevice().observe()
ASKED = chat_messages("Go", [], SEEN)


@given(decisions=st.lists(DECISIONS, min_size=1, max_size=3))
def test_the_spans_hold_what_the_model_writes_and_nothing_else(
    decisions: list[Decision],
) -> None:
    chat = list(ASKED)
    for decision in decisions:
        chat += [answer_message(decision, SEEN.size), {"role": "previous_actions", "content": ""}]
    pair = render_pair(chat[:-1], TOOLS)
    said = [pair.text[start:end] for start, end in pair.spans]
    assert said == [
        render_pair([*ASKED, answer_message(decision, SEEN.size)], TOOLS).completion
        for decision in decisions
    ]
    assert pair.spans[-1] == (len(pair.prompt), len(pair.text))


def test_a_chat_without_an_answer_at_its_end_is_refused() -> None:
    for chat in (ASKED, []):
        with pytest.raises(BadChatError, match="does not end with an answer"):
            render_pair(chat, TOOLS)


def test_a_template_that_rewrites_earlier_turns_is_refused() -> None:
    def forgetful(
        messages: Chat, tools: Chat | None = None, *, add_generation_prompt: bool = False
    ) -> str:
        return f"{messages[-1]['role']}:"

    with pytest.raises(ChatPrefixError, match=r"messages\[1\]: the template writes"):
        render_pair(
            [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
            render=forgetful,
        )
