from contextlib import suppress
from pathlib import Path

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from tapwright.errors import TaskError
from tapwright.tasks.errors import BadDefinitionError, BadTemplateError
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates.confs import ConfValue, Values
from tapwright.tasks.templates.template import Template

PATH = Path("t.textproto.template")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def template(text: str) -> Template:
    return Template(PATH, text, lambda _: None)


def values(**texts: str) -> Values:
    return {name: ConfValue(text, f"t-a.conf, {name}") for name, text in texts.items()}


@given(TEXTS, TEXTS)
def test_a_value_reads_back_as_it_is_in_quotes_of_either_kind(v: str, w: str) -> None:
    filled = template("command: \"<v>|<w>\" command: '<w><v>'").fill(values(v=v, w=w), "")
    if v != "<VALUE>" != w:
        assert list(filled.command) == [f"{v}|{w}", f"{w}{v}"]


@given(TEXTS, st.lists(TEXTS.map(lambda text: text.replace(",", "")), min_size=1))
def test_filling_says_the_same_as_writing_the_values_and_parsing(v: str, items: list[str]) -> None:
    text = (
        'id: "<v>"\n'
        "vocabulary: <no_quote,to_list:items>\n"
        'vocabulary: "last"\n'
        "event_sources: {\n id: <number> log_event: {\n"
        "  pattern: '<regex_esc:v>' filters: '<v>'\n }\n}\n"
        "tapwright: { state: { key: 'a.b' value: { string_value: '<v>' } } }\n"
    )
    if "\n" in "".join(items) or "\r" in "".join(items):
        return  # to_list takes no line ends; a conf file has none
    given_ = values(v=v, items=",".join(items), number="7")
    quoted = text_format.MessageToString(Task(id=v), as_utf8=False).removeprefix("id: ").strip()
    written = (
        text.replace("'<regex_esc:v>'", _quoted(template("id: '<regex_esc:v>'"), v))
        .replace('"<v>"', quoted or '""')
        .replace("'<v>'", quoted or '""')
        .replace("<number>", "7")
        .replace("<no_quote,to_list:items>", _list(items))
    )
    assert template(text).fill(given_, "") == text_format.Parse(written, Task())


def _quoted(one: Template, v: str) -> str:
    id_ = one.fill(values(v=v), "").id
    return text_format.MessageToString(Task(id=id_)).removeprefix("id: ").strip() or '""'


def _list(items: list[str]) -> str:
    joined = ",".join(items).split(",")
    return (
        "["
        + ",".join('"' + i.replace("\\", "\\\\").replace('"', '\\"') + '"' for i in joined)
        + "]"
    )


def test_the_name_of_a_group_stays_and_a_slot_may_give_it() -> None:
    filled = template('command: "(?P<num>\\\\d+) (?P<<v>>x) (?<n>y)"').fill(values(v="k"), "")
    assert filled.command[0] == r"(?P<num>\d+) (?P<k>x) (?<n>y)"


def test_an_escaped_sign_is_plain() -> None:
    assert template(r'command: "\<b>bold</b> 1 < 2 \\<v>"').fill(values(v="x"), "").command[0] == (
        r"<b>bold</b> 1 < 2 \x"
    )


def test_a_value_may_be_a_part_of_the_text_itself() -> None:
    text = 'id: "a"\n<no_quote:open>\nreward_listener { id: 3 }\n}\n<limit>: 7\ncommand: "b"'
    filled = template(text).fill(values(open="event_slots {", limit="max_num_steps"), "")
    assert (filled.event_slots.reward_listener.id, filled.max_num_steps) == (3, 7)


def test_a_comment_has_no_slots() -> None:
    one = template('# <shout:v> it\'s <v>\nid: "a" # <w> "\ncommand: "# <x>"')
    assert one.identifiers == ("x",)
    assert one.fill(values(x="1"), "").command[0] == "# 1"


@pytest.mark.parametrize(
    ("text", "given_", "says"),
    [
        ('id: "a"\n\nname: "<v>"', {}, "template, line 3: nothing fills <v>: it has no 'v'"),
        ('id: "<lower:v>"', {"v": "<VALUE>"}, "t-a.conf, v: v is still <VALUE>"),
        ('id: "<shout:v>"', {"v": "x"}, "line 1: <shout:v>: unknown modifier 'shout'"),
        ("id: \"<lower,no_quote':v>\"", {"v": "x"}, "no_quote has no items to mark"),
        ('id: "<v>"\nnaem: "<v>"', {"v": "x"}, "line 2, column 1"),
        ('id: "<v>" naem: 3', {"v": "x"}, "line 1, column 11"),
        ('id: "a"\nvocabulary: <no_quote:v>\nid: "b"', {"v": '"x"'}, "line 3"),
        ('id: "a"\nmax_num_steps: <v>', {"v": "many"}, "line 2, column 16"),
        ('id: "a', {}, "line 1, column 5"),
        ('id: "a"\nevent_slots: {', {}, "line 2"),
    ],
)  # fmt: skip
def test_an_error_names_file_and_line(text: str, given_: dict[str, str], says: str) -> None:
    with pytest.raises((BadTemplateError, TaskError, BadDefinitionError)) as caught:
        template(text).fill(values(**given_), "it")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "text", ["< v >", "<a:b:c>", "<lower:upper:v>", "<no_quote,:v>", "<lower:", "<lower':>"]
)
def test_what_looks_like_a_slot_and_is_none_is_told(text: str) -> None:
    told: list[str] = []
    one = Template(PATH, f'\ncommand: "{text}"', told.append)
    assert one.slots == ()
    assert len(told) == 1
    assert told[0].startswith("t.textproto.template, line 2: ")


@given(st.text(st.sampled_from("<>{}[]()\"'\\:,#\nab \U000f0000?P"), max_size=60))
def test_any_text_is_taken_or_refused_by_name(text: str) -> None:
    with suppress(TaskError):
        template(text).fill(values(a="1", b="2", ab="3"), "")
