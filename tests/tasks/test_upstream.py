"""The recorded cases of Mobile-Env's tools: all of them by --compat, the right ones by default."""

import json
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from tapwright.errors import TaskError
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.errors import UpstreamFailureError
from tapwright.tasks.events.graph import Compat
from tapwright.tasks.task_pb2 import Task
from tapwright.tasks.templates.expand import Expander
from tapwright.tasks.templates.template import make_conf, make_conf_like_upstream

GOLDEN = Path(__file__).parents[1] / "golden/mobile_env_templates/cases.json"
CASES = {case["id"]: case for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]}
# That the output's directory is missing is met when it is written: test_grow.py has that case.
EXPANDED = [
    id_ for id_, case in CASES.items() if case["tool"] == "parse.py" and not id_.startswith("t11")
]
DRAFTED = [id_ for id_, case in CASES.items() if case["tool"] != "parse.py" and case["created"]]

REFUSED = {
    "m06_chain_order": "m.textproto.template, line 10: <to_list,no_quote:v>: no_quote would skip",
    "m09_no_quote_listmode": "m.textproto.template, line 3: <no_quote':v>: no_quote has no items",
    "m10_module_attr": "m.textproto.template, line 3: <functools:v>: unknown modifier",
    "c12_key_with_space": "m-a.conf, line 1: found 'my key: 1'; expected `identifier: value`",
    "t01_empty_task": "t.task, line 1: no steps; expected a line for each",
    "t06_missing_template": "t.task, line 1: no template ",
    "t09_missing_task": "t.task: no such task file",
    "g02_second_no_command": "n.textproto.template: its first command is missing",
    "g04_second_empty_command": "n.textproto.template: its first command is empty",
    "g12_template_suffix": "t.task, line 1: no template ",
}
"""What is refused by default, and what the error says."""

MENDED: dict[str, dict[str, object]] = {
    "m13_backslash_in_value": {
        "command": [
            r"regex_esc => a\\d\.b",
            r"no_quote,regex_esc => a\d\.b",
            r'to_list => ["a\\d.b"]',
            r"no_quote,escape => a\d.b",
            r"url_query => a%5Cd.b",
        ]
    },
    "s11_bad_modifier_in_comment": {"description": "d"},
    "c02_blank_line": {"description": "1|2"},
    "t04_comment": {"description": "x"},
}
"""What comes out right by default, and what of it is other than the recorded."""


def put(id_: str, directory: Path) -> None:
    for name, text in CASES[id_]["files"].items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def expand(id_: str, directory: Path, compat: Compat | None) -> Task:
    put(id_, directory)
    autocat = "--no-autocat-commands" not in CASES[id_]["argv"]
    expander = Expander(directory / "templates", autocat=autocat, compat=compat)
    return expander.expand(directory / "tasks/t.task")


def as_data(task: Task) -> dict[str, Any]:
    data = MessageToDict(task, preserving_proto_field_name=True)
    return {**data, "vocabulary": set(data.get("vocabulary", ()))}


def recorded(id_: str) -> dict[str, Any]:
    output = CASES[id_]["output"]
    return {**output, "vocabulary": set(output.get("vocabulary", ()))}


@pytest.mark.parametrize("id_", EXPANDED)
def test_compat_does_as_the_original(id_: str, tmp_path: Path) -> None:
    if CASES[id_]["exit_code"] == 0:
        assert as_data(expand(id_, tmp_path, "mobile-env")) == recorded(id_)
        return
    with pytest.raises(UpstreamFailureError) as caught:
        expand(id_, tmp_path, "mobile-env")
    assert caught.value.kind == CASES[id_]["error"].partition(":")[0]
    assert str(caught.value).splitlines()[-1].startswith(f"{caught.value.kind}: ")


@pytest.mark.parametrize("id_", sorted(set(EXPANDED) - set(REFUSED) - set(MENDED)))
def test_where_the_original_is_right_so_are_we(id_: str, tmp_path: Path) -> None:
    assert as_data(expand(id_, tmp_path, None)) == recorded(id_)


@pytest.mark.parametrize("id_", sorted(REFUSED))
def test_what_it_loses_or_fails_at_is_refused_with_file_and_line(id_: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError) as caught:
        expand(id_, tmp_path, None)
    assert REFUSED[id_] in str(caught.value)
    assert not isinstance(caught.value, UpstreamFailureError)


@pytest.mark.parametrize("id_", sorted(MENDED))
def test_or_comes_out_right(id_: str, tmp_path: Path) -> None:
    data = as_data(expand(id_, tmp_path, None))
    assert {name: data[name] for name in MENDED[id_]} == MENDED[id_]


@pytest.mark.parametrize("id_", EXPANDED)
def test_what_is_written_reads_back(id_: str, tmp_path: Path) -> None:
    put(id_, tmp_path)
    compats: tuple[Compat | None, ...] = (None, "mobile-env")
    for compat in compats:
        expander = Expander(tmp_path / "templates", compat=compat)
        try:
            task = expander.expand(tmp_path / "tasks/t.task")
        except TaskError:
            continue
        assert parse_task(expander.format(task)) == task


@pytest.mark.parametrize("id_", DRAFTED)
def test_a_new_conf_file_has_the_lines_of_the_original(id_: str, tmp_path: Path) -> None:
    put(id_, tmp_path)
    (name, lines), *_ = CASES[id_]["created"].items()
    template, step = tmp_path / CASES[id_]["argv"][1], CASES[id_]["argv"][2]
    drafted = make_conf_like_upstream(template, step)
    assert (drafted[0], set(drafted[1].splitlines())) == (name, set(lines))
    if not id_.startswith("i09"):
        assert make_conf(template, step, lambda _: None) == drafted


def test_words_of_comments_and_groups_of_patterns_are_no_identifiers(tmp_path: Path) -> None:
    put("i09_comment_slots", tmp_path)
    drafted = make_conf(tmp_path / "z.textproto.template", "x", lambda _: None)
    assert drafted == ("z-x.conf", "v: <VALUE>\n")
