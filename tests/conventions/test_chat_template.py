"""The template in the hands of transformers, which is what trainers and servers render it with."""

import json
from dataclasses import replace
from functools import partial
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment
from pydantic import JsonValue
from tokenizers import Tokenizer
from tokenizers.models import WordLevel

from tapwright.conventions.android_tools import (
    ANDROID_TOOLS_CONVENTION,
    answer_message,
    chat_messages,
    render_chat,
    serving_template,
)
from tapwright.conventions.chat import plain_chat
from tapwright.conventions.function_calls import TOOLS
from tapwright.conventions.training_text import render_pair
from tapwright.core.actions import TypeText
from tapwright.core.episode import Decision, Step
from tapwright.core.messages import Message, Text
from tapwright.devices.fake import FakeDevice
from tapwright.models.local import chat_turn
from tests.conventions.test_android_tools import CASES, DECISIONS, Told, told
from tests.strategies import OBSERVATIONS

SOURCE = files("tapwright.conventions").joinpath("android_tools.jinja").read_text("utf-8")

TEXTS = st.sampled_from(["", " a ", "\u3000\n", "<image>", "<&'\">", "中文", "{{ x }}", "\ud83d"])
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "text", "name", "a"]), inner, max_size=2)
    ),
    max_leaves=4,
)
PARTS = st.one_of(
    st.just({"type": "image"}),
    st.fixed_dictionaries({"type": st.just("text")}, optional={"text": TEXTS | JSON}),
    JSON,
)
CALLS = st.fixed_dictionaries(
    {"function": st.fixed_dictionaries({}, optional={"name": TEXTS | JSON, "arguments": JSON})}
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "instruction", "assistant"]) | JSON,
        "content": TEXTS | st.lists(PARTS, max_size=3) | JSON,
        "tool_calls": st.lists(CALLS, max_size=2) | JSON,
    },
)
NEEDED: list[dict[str, JsonValue]] = [
    {"role": "instruction", "content": "Go"},
    {"role": "previous_actions", "content": "[]"},
    {"role": "screen_description", "content": [{"type": "image"}]},
]
CHATS = st.builds(
    lambda before, after, needed: [*before, *needed, *after],
    st.lists(MESSAGES, max_size=2),
    st.lists(MESSAGES, max_size=2),
    st.sampled_from([NEEDED, NEEDED, NEEDED, NEEDED[:2], []]),
)
OPTIONS = st.fixed_dictionaries(
    {"tools": st.none() | st.lists(st.dictionaries(TEXTS, JSON, max_size=2), max_size=2)},
    optional={
        "custom_tools": JSON,
        "bos_token": st.sampled_from(["<s>", ""]) | st.none(),
        "add_generation_prompt": st.booleans(),
    },
)


STEPS = st.lists(st.builds(Step, OBSERVATIONS, DECISIONS), max_size=3)


def theirs(messages: Any, tools: Any = None, *, template: str = SOURCE, **options: Any) -> str:
    from transformers.utils.chat_template_utils import render_jinja_template

    rendered, _ = render_jinja_template([messages], tools=tools, chat_template=template, **options)
    return str(rendered[0])


def tokenizer() -> Any:
    from transformers import PreTrainedTokenizerFast

    made = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(WordLevel({"<unk>": 0}, unk_token="<unk>")), unk_token="<unk>"
    )
    made.chat_template = SOURCE
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_transformers_writes_the_recorded_text(case: dict[str, Any]) -> None:
    assert told(lambda: theirs(**case["kwargs"])) == case["expect"]


@given(messages=CHATS, options=OPTIONS)
def test_whatever_transformers_writes_or_refuses_so_do_we(
    messages: list[dict[str, JsonValue]], options: dict[str, Any]
) -> None:
    ours: Told = told(lambda: render_chat(messages, **options))
    assert ours == told(lambda: theirs(messages, **options))


def test_a_tokenizer_takes_the_file_as_its_chat_template() -> None:
    chat = chat_messages("Go <|eot_id|>", [], FakeDevice().observe())
    answer = answer_message(Decision(TypeText(text="<image>")), FakeDevice().observe().size)

    def render(messages: Any, tools: Any = None, *, add_generation_prompt: bool = False) -> str:
        return str(
            tokenizer().apply_chat_template(
                messages, tools=tools, tokenize=False, add_generation_prompt=add_generation_prompt
            )
        )

    pair = render_pair([*chat, answer], TOOLS)
    assert render_pair([*chat, answer], TOOLS, render=render) == pair


def test_a_plain_chat_is_the_same_to_tokenizers_that_drop_null_and_to_those_that_do_not() -> None:
    call: JsonValue = {"function": {"name": "finish", "arguments": "{}"}}
    chat = plain_chat([*NEEDED, {"role": "assistant", "content": None, "tool_calls": [call]}])
    text = tokenizer().apply_chat_template(chat, tools=TOOLS, tokenize=False)
    assert text == render_chat(chat, TOOLS)


def test_tools_are_written_as_transformers_writes_json() -> None:
    tool: dict[str, JsonValue] = {"b": "<&'>中", "a": [1.5, None, True]}
    assert json.dumps(tool, ensure_ascii=False) in render_chat(NEEDED, [tool])


@pytest.mark.parametrize("trim", [True, False])
def test_the_layout_of_the_file_does_not_matter(trim: bool) -> None:
    environment = Environment(trim_blocks=trim, lstrip_blocks=trim, autoescape=False)
    environment.filters["tojson"] = partial(json.dumps, ensure_ascii=False)
    text = environment.from_string(SOURCE).render(messages=NEEDED, tools=TOOLS)
    assert text == render_chat(NEEDED, TOOLS)


@given(
    instruction=st.text(), app=st.text(), steps=st.lists(st.builds(Step, OBSERVATIONS, DECISIONS))
)
@pytest.mark.slow
def test_a_served_model_sees_the_turns_that_it_was_trained_on(
    instruction: str, app: str, steps: list[Step]
) -> None:
    seen = replace(FakeDevice().observe(), app=app)
    asked = ANDROID_TOOLS_CONVENTION.prompt(instruction, steps, seen)
    again = Message("user", (Text("Answer again."),))
    messages = [chat_turn(message, "image") for message in [*asked, again]]
    text = theirs(messages, template=serving_template(), add_generation_prompt=True)
    chat = chat_messages(instruction, steps, seen)
    chat.append({"role": "user", "content": "Answer again."})
    assert text == render_chat(chat, TOOLS, add_generation_prompt=True)
