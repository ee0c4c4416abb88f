import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.conventions.android_tools import render_chat
from tapwright.conventions.chat import guard, guard_all, plain_chat, unguard, unguard_all
from tapwright.conventions.errors import BadChatError

MARKS = ["<image>", "<|eot_id|>", "<|", "<", "!FUNCTIONCALL", "!", "image>", "\u2060", "a"]
TEXTS = st.lists(st.sampled_from(MARKS)).map("".join) | st.text()
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)
PARTS: st.SearchStrategy[JsonValue] = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS),
    st.just({"type": "image"}),
    st.just({"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}),
)
CONTENTS: st.SearchStrategy[JsonValue] = st.none() | TEXTS | st.lists(PARTS, max_size=5)
ROLES = ("instruction", "previous_actions", "screen_description")
IMAGE: JsonValue = {"type": "image"}


@given(text=TEXTS)
def test_a_guarded_text_has_no_mark_and_comes_back(text: str) -> None:
    guarded = guard(text)
    assert re.search(r"<image>|<\||!FUNCTIONCALL", guarded) is None
    assert unguard(guarded) == text
    assert unguard(guard(guarded)) == guarded


@given(value=JSON)
def test_a_guarded_value_comes_back(value: JsonValue) -> None:
    assert unguard_all(guard_all(value)) == value


def test_text_without_marks_stays_as_it_is() -> None:
    assert guard("a < b! FUNCTIONCALL <b>image</b> |>") == "a < b! FUNCTIONCALL <b>image</b> |>"


@given(contents=st.lists(CONTENTS, min_size=3, max_size=3), arguments=st.dictionaries(TEXTS, JSON))
def test_a_plain_chat_has_as_many_pictures_turns_and_calls_as_it_says(
    contents: list[JsonValue], arguments: dict[str, JsonValue]
) -> None:
    call: JsonValue = {"id": "1", "function": {"name": "tap", "arguments": arguments}}
    chat: list[dict[str, JsonValue]] = [
        *({"role": role, "content": c} for role, c in zip(ROLES, contents, strict=True)),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "screen_description", "content": [IMAGE]},
    ]
    pictures = 1 + sum(
        isinstance(part, dict) and part["type"] != "text"
        for content in contents
        if isinstance(content, list)
        for part in content
    )
    text = render_chat(plain_chat(chat), []).partition("<|eot_id|>")[2]
    assert text.count("<image>") == pictures
    assert text.count("<|eot_id|>") == len(chat)
    assert text.count("!FUNCTIONCALL") == 1


@pytest.mark.parametrize(
    ("content", "plain"),
    [
        (None, ""),
        ("a", "a"),
        ([{"type": "image_url", "image_url": "x"}], [IMAGE]),
        (
            [IMAGE, {"type": "text", "text": "a"}],
            [IMAGE, {"type": "text", "text": "\n\na"}],
        ),
        (
            [{"type": "text", "text": "a<"}, {"type": "text", "text": "image>"}, IMAGE],
            [{"type": "text", "text": guard("a<image>")}, IMAGE],
        ),
    ],
)
def test_content_becomes_what_every_template_writes_alike(
    content: JsonValue, plain: JsonValue
) -> None:
    assert plain_chat([{"role": "user", "content": content}]) == [
        {"role": "user", "content": plain}
    ]


def test_the_parts_of_a_system_message_become_one_text() -> None:
    parts: JsonValue = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert plain_chat([{"role": "system", "content": parts}]) == [
        {"role": "system", "content": "ab"}
    ]


def test_arguments_in_a_string_become_what_they_say() -> None:
    call: JsonValue = {"function": {"name": "tap", "arguments": '{"x": 1}'}}
    assert plain_chat([{"role": "assistant", "tool_calls": [call]}])[0]["tool_calls"] == [
        {"type": "function", "function": {"name": "tap", "arguments": {"x": 1}}}
    ]


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({}, "messages[0].role is None"),
        ({"role": "a\nb"}, r"messages[0].role is 'a\nb'; expected letters"),
        ({"role": "user", "content": 3}, "messages[0].content is 3"),
        ({"role": "user", "content": ["a"]}, "messages[0].content[0] is 'a'"),
        ({"role": "user", "content": [{"type": "video"}]}, "expected a text or an image part"),
        ({"role": "user", "content": [{"type": "text", "text": None}]}, "content[0] is {'type'"),
        ({"role": "system", "content": [IMAGE]}, "a picture in a system message"),
        ({"role": "assistant", "tool_calls": 1}, "tool_calls is 1; expected a list"),
        ({"role": "assistant", "tool_calls": [{}]}, "tool_calls[0] is {}"),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": 'a"b', "arguments": {}}}]},
            "tool_calls[0].function.name is 'a\"b'",
        ),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": "{"}}]},
            "function.arguments: not JSON",
        ),
        (
            {"role": "assistant", "tool_calls": [{"function": {"name": "a", "arguments": "[1]"}}]},
            "function.arguments is [1]; expected an object",
        ),
    ],
)
def test_what_no_template_can_write_is_refused(message: dict[str, JsonValue], problem: str) -> None:
    with pytest.raises(BadChatError) as caught:
        plain_chat([message])
    assert problem in str(caught.value)
