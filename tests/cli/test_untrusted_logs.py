"""A run log that somebody else wrote: looking at it runs nothing and sends no secret."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pydantic import JsonValue

from tapwright.cli.main import cli
from tapwright.errors import UsageError
from tapwright.evaluate.errors import RunLogError
from tapwright.testing import FakeChatServer
from tapwright.web.app import create_app
from tapwright.web.config import WebConfig
from tests.web.asking import client

ATTACK = "open('trace', 'w').write('executed')"
HOOKS = {
    "build": "evil.build",
    "preprocess": "builtins.exec",
    "generate": "builtins.exec",
    "postprocess": "builtins.exec",
    "parse": "evil.parse",
}


def write_log(
    directory: Path,
    plan: Mapping[str, JsonValue] | None = None,
    *,
    benchmark: str = "l1",
    **config: JsonValue,
) -> Path:
    """A run of one question, whose answer is a program."""
    about = {
        "labels": {"app": "notes", "difficulty": "easy"},
        "cluster": "one",
        "truth": "A",
        "instruction": "What?",
        "options": {"A": "this", "B": "that"},
        "size": [10, 10],
    }
    usage = {"input_tokens": 1, "output_tokens": 1}
    row = {"id": "1", "about": about, "status": "ok", "answer": ATTACK, "parsed": "A", "score": 1.0,
           "detail": {"options_num": 2}, "usage": usage}  # fmt: skip
    header = {
        "tapwright": "0.1.0",
        "benchmark": benchmark,
        "source": str(directory),
        "data_sha256": "0" * 64,
        "subject": "any",
        "prompt_sha256": "0" * 64,
        "samples": 2,
        "config": {"spec": "scripted/A", "plan": dict(plan or {}), "model": None, **config},
    }
    lines: list[JsonValue] = [
        {"job": "evaluate", "config": header, "created": "2026-01-01T00:00:00+00:00"},  # type: ignore[dict-item]
        {"key": "1", "status": "done", "value": row},  # type: ignore[dict-item]
    ]
    directory.mkdir(parents=True)
    (directory / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return directory


def tapwright(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, words, env=environment)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, with a module that leaves a trace when it is imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    Path("evil.py").write_text(f"{ATTACK}\nparse = build = exec\n")
    return tmp_path


@pytest.mark.parametrize("stage", HOOKS)
@pytest.mark.slow_but_one
def test_looking_at_a_log_runs_nothing_that_it_names(here: Path, stage: str) -> None:
    for name in ("one", "two"):
        write_log(here / "runs" / name, plan={stage: HOOKS[stage]})
    for words in (
        ("report", "runs/one", "runs/two", "-o", "report.html"),
        ("eval", "ls", "runs"),
        ("eval", "score", "runs/one", "runs/two"),
        ("eval", "compare", "runs/one", "runs/two", "--flips"),
        ("eval", "view", "runs", "-o", "site"),
    ):
        result = tapwright(*words)
        assert result.exit_code == 0, (words, result.output, result.exception)
    app = create_app(WebConfig(episodes=here / "episodes", runs=(here / "runs",)))
    with client(app) as browser:
        assert browser.get("/api/run", params={"name": "one"}).status_code == 200
        answer = browser.get("/api/run/rows", params={"name": "one"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["rows"][0]["score"] == 1.0
        answer = browser.get("/api/compare", params={"a": "one", "b": "two"})
        assert answer.status_code == 200, answer.text
    result = tapwright("eval", "resume", "runs/one")
    assert isinstance(result.exception, UsageError)
    assert result.exception.hint == f"if you trust them: --hook {stage}={HOOKS[stage]}"
    assert not Path("trace").exists()


@pytest.mark.parametrize("key", ["convention", "space"])
def test_a_convention_that_only_a_log_names_is_never_imported(here: Path, key: str) -> None:
    for name in ("one", "two"):
        write_log(here / "runs" / name, plan={key: "evil:CONVENTION"}, benchmark="l2")
    for words in (
        ("report", "runs/one", "runs/two", "-o", "report.html"),
        ("eval", "ls", "runs"),
        ("eval", "compare", "runs/one", "runs/two", "--flips"),
        ("eval", "view", "runs", "-o", "site"),
    ):
        result = tapwright(*words)
        assert result.exit_code == 0, (words, result.output, result.exception)
    if key == "convention":
        (row,) = json.loads(tapwright("eval", "score", "runs/one").stdout)
        assert (row["parser"], row["changed"]) == ("as recorded", 0)
    assert tapwright("eval", "resume", "runs/one").exit_code != 0
    assert not Path("trace").exists()


@pytest.mark.parametrize(
    ("config", "benchmark"),
    [
        ({"spec": "evil:AGENT"}, "l1"),
        ({"spec": "evil:Client/model"}, "l1"),
        ({}, "evil:BENCHMARK"),
        ({"convention": "evil:CONVENTION", "device": "fake"}, "l3"),
        ({"device": "evil:DEVICE"}, "l3"),
        ({"device": "fake", "cast": {"grounder": "evil:Client/g"}}, "l3"),
    ],
)
def test_no_member_that_only_a_log_names_is_imported_to_resume_it(
    here: Path, config: dict[str, Any], benchmark: str
) -> None:
    write_log(here / "run", benchmark=benchmark, **config)
    assert tapwright("eval", "resume", "run").exit_code != 0
    assert not Path("trace").exists()


def test_a_log_is_scored_again_by_a_function_that_is_given(here: Path) -> None:
    write_log(here / "run", plan={"parse": "own_reader.parse"})
    Path("own_reader.py").write_text("def parse(text, meta):\n    return 'B'\n")
    (row,) = json.loads(tapwright("eval", "score", "run").stdout)
    assert (row["parser"], row["changed"]) == ("as recorded", 0)
    assert tapwright("eval", "score", "run", "--parser", "seed").exit_code != 0
    found = json.loads(tapwright("eval", "score", "run", "--hook", "parse=own_reader.parse").stdout)
    assert [(row["parser"], row["changed"]) for row in found] == [("robust", 1), ("seed", 1)]
    without = json.loads(tapwright("eval", "score", "run", "--hook", "parse=").stdout)
    assert [row["parser"] for row in without] == ["robust", "seed"]


def test_resume_takes_only_the_functions_of_the_log(here: Path) -> None:
    write_log(here / "run", plan={"parse": "evil.parse"})
    result = tapwright("eval", "resume", "run", "--hook", "parse=other.parse")
    assert isinstance(result.exception, UsageError)
    assert not Path("trace").exists()


@pytest.mark.parametrize("given", [{}, {"TAPWRIGHT_BASE_URL": "http://127.0.0.1:9/v1"}])
def test_no_key_goes_to_a_server_that_only_the_log_names(here: Path, given: dict[str, str]) -> None:
    with FakeChatServer(["A"]) as server:
        model: dict[str, JsonValue] = {"base_url": server.base_url}
        write_log(here / "run", spec="openai/any", model=model)
        result = tapwright("eval", "resume", "run", OPENAI_API_KEY="sk-secret", **given)
        assert isinstance(result.exception, UsageError)
        assert f"--base-url {server.base_url}" in result.exception.hint
        assert server.received == []


@pytest.mark.parametrize("role", ["grounder", "planner"])
def test_no_key_goes_to_a_helping_server_that_only_the_log_names(here: Path, role: str) -> None:
    with FakeChatServer(["A"]) as server:
        cast: dict[str, JsonValue] = {role: "openai/any", f"{role}_url": server.base_url}
        write_log(here / "run", benchmark="l3", spec="openai/any", cast=cast, device="fake")
        keys = {"OPENAI_API_KEY": "sk-secret", f"TAPWRIGHT_{role.upper()}_KEY": "sk-secret"}
        result = tapwright("eval", "resume", "run", **keys)
        assert isinstance(result.exception, UsageError)
        assert f"TAPWRIGHT_{role.upper()}_URL={server.base_url}" in result.exception.hint
        assert server.received == []


@pytest.mark.parametrize(
    ("config", "option"),
    [
        ({"device": "remote:http://127.0.0.1:9"}, "--device remote:http://127.0.0.1:9"),
        ({"device": "adb:one@127.0.0.1:9"}, "--device adb:one@127.0.0.1:9"),
        ({"device": "adb"}, "--device adb"),
        ({"device": "fake", "cast": {"replay": "theirs"}}, "--replay theirs"),
    ],
)
def test_no_device_and_no_store_is_used_that_only_the_log_names(
    here: Path, config: dict[str, JsonValue], option: str
) -> None:
    write_log(here / "run", None, benchmark="l3", spec="random", **config)
    result = tapwright("eval", "resume", "run", TAPWRIGHT_TOKEN="t" * 20)
    assert isinstance(result.exception, UsageError)
    assert option in result.exception.hint
    assert not Path("theirs").exists()


@pytest.mark.parametrize(
    ("benchmark", "plan"),
    [
        pytest.param("l3", {}, id="tasks that are gone"),
        pytest.param("l1", {"space": "evil:parse"}, id="a convention that is not installed"),
    ],
)
def test_a_run_is_shown_without_what_its_log_names_and_is_not_there(
    here: Path, benchmark: str, plan: dict[str, JsonValue]
) -> None:
    write_log(here / "run", plan, benchmark=benchmark)
    for words in (("report", "run", "-o", "report.html"), ("eval", "view", "run", "-o", "site")):
        result = tapwright(*words)
        assert result.exit_code == 0, (words, result.output, result.exception)
    assert not Path("trace").exists()


def test_a_log_whose_data_is_no_path_is_refused(here: Path) -> None:
    log = write_log(here / "run") / "run.jsonl"
    log.write_text(log.read_text().replace(json.dumps(str(here / "run")), '"\\u0000"'))
    for words in (("eval", "resume", "run"), ("report", "run", "-o", "report.html")):
        result = tapwright(*words)
        assert isinstance(result.exception, RunLogError)
        assert "line 1: not a run log: source" in str(result.exception)
