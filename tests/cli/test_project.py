"""`tapwright init`, and `tapwright.toml` as the defaults of commands."""

import json
import os
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tapwright.cli.project.file import UNSET
from tapwright.cli.project.keys import ProjectFile
from tapwright.core.episode import Episode
from tapwright.store.store import EpisodeStore
from tapwright.testing.local_server import FakeChatServer
from tests.cli.running import tapwright
from tests.scripts import ROOT


@pytest.fixture
def project(tmp_path: Path, episodes: list[Episode]) -> Path:
    """A project whose store is not the default one, and a directory below it."""
    home = tmp_path / "lab"
    (home / "below").mkdir(parents=True)
    (home / "tapwright.toml").write_text('store = "kept"\nruns = "measured"\n')
    store = EpisodeStore(home / "kept")
    for one in episodes:
        store.write(replace(one, outcome="success"))
    return home


def say(home: Path, text: str) -> None:
    file = home / "tapwright.toml"
    file.write_text(f"{file.read_text()}{text}\n")
    tapwright("trust", cwd=home)


def test_the_keys_that_are_read_without_pydantic_are_those_that_it_checks() -> None:
    unset = ProjectFile.model_validate({}).model_dump()
    assert list(UNSET.items()) == list(unset.items())


def test_init_writes_a_file_that_every_command_reads(tmp_path: Path) -> None:
    run = tapwright("init", "lab", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "lab/tapwright.toml\n"
    assert "cd lab && tapwright record" in run.stderr
    assert tapwright("doctor", "--check", "project", cwd=tmp_path / "lab").returncode == 0
    again = tapwright("init", "lab", cwd=tmp_path)
    assert again.returncode == 1
    assert "[TW537]" in again.stderr


def test_every_commented_line_of_the_written_file_is_one_that_may_be_used(tmp_path: Path) -> None:
    tapwright("init", cwd=tmp_path)
    file = tmp_path / "tapwright.toml"
    lines = [line.removeprefix("# ") for line in file.read_text().splitlines()]
    used = [line for line in lines if line.startswith("[") or " = " in line]
    file.write_text("\n".join(used))
    run = tapwright("doctor", "--check", "project", cwd=tmp_path)
    assert run.returncode == 0, run.stdout
    schema = json.loads(tapwright("init", "--schema", cwd=tmp_path).stdout)
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(tomllib.loads(file.read_text()))


def test_the_schema_in_the_docs_is_the_one_that_the_command_prints(tmp_path: Path) -> None:
    printed = tapwright("init", "--schema", cwd=tmp_path).stdout
    written = (ROOT / "docs/tapwright.schema.json").read_text("utf-8")
    assert printed == written, "run: python scripts/write_reference.py"


def test_a_store_that_is_left_out_is_the_projects(project: Path) -> None:
    ids = tapwright("episodes", "ls", "--format", "quiet", cwd=project).stdout.split()
    assert ids
    below = tapwright("episodes", "ls", "--format", "quiet", cwd=project / "below")
    assert below.stdout.split() == ids
    for words in (
        ("episodes", "show", ids[0]),
        ("episodes", "check", ids[0], "--format", "quiet"),
        ("episodes", "frames", ids[0], "-o", "frames"),
        ("episodes", "tag", ids[0], "--add", "seen"),
        ("annotate", "run"),
        ("annotate", "status"),
        ("sft", "export", "--to", "trl", "--convention", "json", "--annotator", "rules"),
    ):
        run = tapwright(*words, cwd=project)
        assert run.returncode == 0, (words, run.stderr)


def test_a_projects_store_is_shared_and_compacted_without_its_name(tmp_path: Path) -> None:
    (tmp_path / "tapwright.toml").write_text('store = "lab"\n')
    for words in (("share",), ("compact", "--format", "quiet")):
        run = tapwright("episodes", *words, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "lab/shared.json").is_file()


def test_a_store_that_is_typed_comes_first(project: Path) -> None:
    (project / "empty").mkdir()
    for words in (
        ("ls", "empty"),
        ("ls", "./empty"),
        ("check", "empty"),
        ("frames", "empty", "-o", "x"),
    ):
        assert tapwright("episodes", *words, cwd=project).returncode == 5, words
    gone = tapwright("episodes", "show", "kept", "none", cwd=project)
    assert "kept: no episode 'none'" in gone.stderr


def test_a_word_that_is_no_directory_is_an_episode_of_the_project(project: Path) -> None:
    run = tapwright("episodes", "rm", "nonesuch", cwd=project)
    assert run.returncode == 5
    assert "nonesuch" in run.stderr
    assert tapwright("episodes", "ls", cwd=project).returncode == 0


def test_a_commands_table_has_its_options_and_what_is_typed_comes_first(project: Path) -> None:
    say(project, '[eval.run]\nsample = 3\nepochs = 2\ndata = "bench"\nmodel = "tree"')
    assert tapwright("eval", "make", "-o", "bench", cwd=project).returncode == 0
    run = tapwright("eval", "run", "l2", cwd=project)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "measured/l2-tree\n"
    assert "6/6" in run.stderr
    words = ("--sample", "4", "--plan", "epochs=1", "-m", "random")
    more = tapwright("eval", "run", "l2", *words, cwd=project)
    assert "4/4" in more.stderr
    rows = json.loads(tapwright("eval", "ls", "--format", "json", cwd=project).stdout)
    assert [row["run"] for row in rows] == ["measured/l2-random", "measured/l2-tree"]
    assert tapwright("report", cwd=project).stdout == "report.html\n"


def test_a_model_under_a_short_name_brings_how_it_is_asked(project: Path) -> None:
    with FakeChatServer(lambda body: "(1, 2)") as server:
        say(
            project,
            f'[models.mine]\nmodel = "openai/tiny"\nbase_url = "{server.base_url}"\n'
            'settings = { temperature = 0.25, stop = "x" }\nprice = [1, 2]\n'
            'plan = { epochs = 3, loops = "end" }\n',
        )
        assert tapwright("eval", "make", "-o", "bench", cwd=project).returncode == 0
        words = ("eval", "run", "l2", "--data", "bench", "-m", "mine", "--limit", "2")
        run = tapwright(*words, cwd=project, TAPWRIGHT_BASE_URL="", OPENAI_API_KEY="k")
        assert run.returncode == 0, run.stderr
        assert run.stdout == "measured/l2-openai-tiny\n"
        assert f"models are queried at {server.base_url}, says tapwright.toml" in run.stderr
        assert {one.body["temperature"] for one in server.received} == {0.25}
        assert len(server.received) == 6
        agent = tapwright(*words[:-4], "-m", "tree", cwd=project, TAPWRIGHT_BASE_URL="")
        assert agent.returncode == 0, agent.stderr
        several = tapwright(*words, "-m", "openai/other", cwd=project)
        assert several.returncode == 2
        assert "for one at a time" in several.stderr


def test_help_says_which_defaults_come_from_the_file(project: Path) -> None:
    say(project, 'device = ["fake", "phone"]\n[record]\nenvs = 3')
    shown = tapwright("record", "--help", cwd=project).stdout
    tail = shown[shown.index("Defaults from tapwright.toml:") :]
    assert {line.strip() for line in tail.splitlines()[1:]} == {
        "--device fake phone", "--envs 3", "--out kept",
    }  # fmt: skip
    assert "STORE kept" in tapwright("episodes", "ls", "-h", cwd=project).stdout
    assert "--device fake\n" in tapwright("devices", "info", "-h", cwd=project).stdout
    for words in (("sft", "check"), ("suites", "check"), ("env", "serve")):
        assert "--device fake" not in tapwright(*words, "-h", cwd=project).stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('stroe = "x"', "line 3: stroe: no such key"),
        ("envs = 1000", "line 3: envs: "),
        ("envs = ", "tapwright.toml: "),
        ("[episodes.ls]\nlimt = 3", "episodes.ls.limt: no such key"),
        ("[episodes.ls]\nlimit = [1]", "limit: expected one value"),
        ('[episodes.ls]\nlimit = "many"', "line 4: limit: 'many' is not a valid integer"),
        ("[episodes.ls]\nlimit = 0", "line 4: limit: 0 is not in the range"),
        ('[models.a]\nmodle = "x/y"', "models.a.modle: no such key"),
        ('[models.a]\nmodel = "x/y"\nsettings = { api_key = "k" }', "secrets are not kept"),
        ('base_url = "http://me:pw@host/v1"', "secrets are not kept"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_the_way_out(
    text: str, message: str, project: Path
) -> None:
    say(project, text)
    run = tapwright("episodes", "ls", cwd=project)
    assert run.returncode == 2
    assert message in run.stderr
    assert "[TW159]" in run.stderr
    assert tapwright("doctor", "--check", "project", cwd=project).returncode == 1
    shown = tapwright("episodes", "ls", "--help", cwd=project)
    assert shown.returncode == 0
    assert "tapwright.toml is not used" in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("parsr", "no such key"),
        ("config", "no such key"),
        ("suite_python", "no such key"),
        ("loops", "'seed' is not one of"),
    ],
)
def test_a_models_plan_has_keys_and_values_of_a_plan_alone(
    key: str, why: str, project: Path
) -> None:
    say(project, f'[models.a]\nmodel = "scripted/x"\nplan = {{ {key} = "seed" }}')
    run = tapwright("eval", "run", "l2", "--data", "bench", "-m", "a", cwd=project)
    assert run.returncode == 2
    assert f"models.a.plan.{key}: {why}" in run.stderr
    assert tapwright("doctor", "--check", "project", cwd=project).returncode == 1


def test_a_table_of_a_command_that_is_none_is_found_by_doctor(project: Path) -> None:
    say(project, "[episodes.lst]\nlimit = 1")
    run = tapwright("doctor", "--check", "project", "--format", "json", cwd=project)
    assert run.returncode == 1
    (row,) = json.loads(run.stdout)
    assert row["way_out"] == "did you mean 'ls'?"


def test_the_file_imports_no_code(project: Path) -> None:
    (project / "mine.py").write_text("raise SystemExit('ran my code')")
    say(project, 'convention = "mine:x"\n[record]\nagent = "mine:y"')
    run = tapwright("sft", "export", "--to", "trl", "--annotator", "rules", cwd=project)
    assert run.returncode == 2
    assert "ran my code" not in run.stderr + run.stdout
    say(project, "[eval.run]\nconfig = 'eval.toml'")
    assert "is for the command line alone" in tapwright("eval", "run", "l1", cwd=project).stderr


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
def test_a_file_of_another_user_is_refused(project: Path) -> None:
    os.chown(project / "tapwright.toml", 12345, 12345)
    run = tapwright("episodes", "ls", cwd=project)
    assert run.returncode == 2
    assert "belongs to another user" in run.stderr
