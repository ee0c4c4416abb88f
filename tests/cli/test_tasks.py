"""`tapwright tasks init-conf`, `expand`, `check`, `ls` and `show`, as people use them."""

import json
from pathlib import Path

import pytest

from tapwright.tasks.definitions.textproto import read_task
from tests.cli.running import tapwright

FIND = """\
id: "find_<lower:slug>"
name: "Notes - Find <words>"
max_num_steps: 20
event_sources { id: 1 log_event { pattern: "query=.*<regex_list,regex_esc':words>" } }
event_slots {
  reward_listener { id: 2 events { id: 1 } transformation: "y = 1" }
  episode_end_listener { events { id: 2 } transformation: "y = True" }
}
command: "Search for <spacejoin:words>."
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "templates").mkdir()
    (tmp_path / "tasks").mkdir()
    (tmp_path / "templates/find.textproto.template").write_text(FIND)
    for name, words in (("a", "milk,eggs"), ("b", "tea"), ("c", "a+b")):
        (tmp_path / f"tasks/find-{name}.conf").write_text(f"slug: {name}\nwords: {words}\n")
        (tmp_path / f"tasks/{name}.task").write_text(f"find-{name}\n")
    return tmp_path


def test_a_new_conf_file_is_written_once(here: Path) -> None:
    words = ("tasks", "init-conf", "templates/find.textproto.template", "new", "tasks")
    assert tapwright(*words, cwd=here).stdout == "tasks/find-new.conf\n"
    conf = here / "tasks/find-new.conf"
    assert conf.read_text() == "slug: <VALUE>\nwords: <VALUE>\n"
    conf.write_text("slug: mine\n")
    again = tapwright(*words, cwd=here)
    assert again.returncode == 1
    assert "tasks/find-new.conf exists already [TW537]" in again.stderr
    assert conf.read_text() == "slug: mine\n"
    assert tapwright(*words, "--force", cwd=here).returncode == 0
    assert "mine" not in conf.read_text()


def test_one_task_goes_to_stdout_or_to_a_file_the_same_every_time(here: Path) -> None:
    run = tapwright("tasks", "expand", "--task", "tasks/a.task", cwd=here)
    assert (run.returncode, run.stderr) == (0, "")
    out = here / "deep/a.textproto"
    tapwright("tasks", "expand", "--task", "tasks/a.task", "-o", str(out), cwd=here)
    assert out.read_text() == run.stdout
    assert read_task(out).command == ["Search for milk eggs."]


def test_three_bad_ones_of_many_are_told_and_the_rest_is_written(here: Path) -> None:
    for number in range(20):
        (here / f"tasks/n{number:02}.task").write_text("find-a\n")
    (here / "tasks/n03.task").write_text("\n")
    (here / "tasks/n05.task").write_text("../find-a\n")
    (here / "tasks/find-c.conf").write_text("slug: c\nwords: <VALUE>\n")
    strict = tapwright("tasks", "expand", "tasks", "-o", "out", "--strict", cwd=here)
    assert strict.returncode == 1
    assert not (here / "out").exists()
    run = tapwright("tasks", "expand", "tasks", "-o", "out", cwd=here)
    assert run.returncode == 1
    assert len(list((here / "out").iterdir())) == 20
    told = [line for line in run.stderr.splitlines() if "[TW" in line]
    assert [line.partition(": ")[0] for line in told] == ["c", "n03", "n05"]
    assert "tasks/find-c.conf, line 2: words is still <VALUE>" in told[0]
    ids = {read_task(path).id for path in (here / "out").iterdir()}
    assert len(ids) == 20


def test_a_table_makes_a_task_of_each_row(here: Path) -> None:
    rows = [{"slug": f"R{number}", "words": ["w", f"x{number % 3}"]} for number in range(9)]
    (here / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (here / "recipe.task").write_text("find\n")
    words = ("tasks", "expand", "t.jsonl", "--task", "recipe.task")
    assert tapwright(*words, "-o", "all", cwd=here).returncode == 0
    tasks = [read_task(path) for path in sorted((here / "all").iterdir())]
    assert [task.id for task in tasks] == [f"find_r{number}" for number in range(9)]
    tapwright(*words, "-o", "distinct", "--distinct", cwd=here)
    assert len(list((here / "distinct").iterdir())) == 3
    for out in ("some", "same"):
        tapwright(*words, "-o", out, "--limit", "4", "--seed", "7", cwd=here)
    some = {path.name: path.read_bytes() for path in (here / "some").iterdir()}
    assert some == {path.name: path.read_bytes() for path in (here / "same").iterdir()}
    assert len(some) == 4


def test_compat_fails_where_the_original_fails(here: Path) -> None:
    words = ("tasks", "expand", "--compat", "mobile-env", "--task", "tasks/a.task")
    run = tapwright(*words, "-o", "no/such/a.textproto", cwd=here)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].startswith("FileNotFoundError: [Errno 2] No such file")
    assert not (here / "no").exists()
    (here / "tasks/find-a.conf").write_text("slug: a\n\nwords: x\n")
    run = tapwright(*words, cwd=here)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.splitlines()[-1].startswith("ValueError: ")
    template = "templates/find.textproto.template"
    run = tapwright("tasks", "init-conf", template, "x", "no", "--compat", "mobile-env", cwd=here)
    assert run.stderr.splitlines()[-1].startswith("FileNotFoundError: ")


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("tasks",),
        ("tasks/find-a.conf", "-o", "out"),
        ("tasks", "-o", "out", "--task", "tasks/a.task"),
        ("tasks", "-o", "out", "--seed", "1"),
        ("--task", "tasks/a.task", "--ordered", "--compat", "mobile-env"),
        ("tasks/a.task", "-o", "out"),
    ],
)
def test_words_that_do_not_go_together_are_refused(words: tuple[str, ...], here: Path) -> None:
    run = tapwright("tasks", "expand", *words, cwd=here)
    assert (run.returncode, run.stdout) == (2, "")
    assert "[TW100]" in run.stderr


def test_a_conf_file_of_a_hundred_megabytes_is_refused(here: Path) -> None:
    with (here / "tasks/find-a.conf").open("wb") as file:
        file.truncate(100_000_000)
    run = tapwright("tasks", "expand", "--task", "tasks/a.task", cwd=here)
    assert run.returncode == 1
    assert "tasks/find-a.conf: larger than 4,000,000 bytes" in run.stderr


def test_check_says_which_line_of_which_template(here: Path) -> None:
    assert tapwright("tasks", "check", ".", cwd=here).returncode == 0
    template = here / "templates/find.textproto.template"
    template.write_text(
        FIND.replace("events { id: 1 } t", "events { id: 7 } t").replace("y = T", "y = (")
    )
    run = tapwright("tasks", "check", ".", cwd=here)
    assert run.returncode == 1
    assert [(row["place"], row["rule"]) for row in json.loads(run.stdout)] == [
        ("templates/find.textproto.template, line 6", "unresolved id"),
        ("templates/find.textproto.template, line 7", "bad expression"),
        ("templates/find.textproto.template, line 4", "unreachable"),
    ]


def test_definitions_are_listed_and_shown_like_a_suite(here: Path) -> None:
    tapwright("tasks", "expand", "tasks", "-o", "out", cwd=here)
    (here / "out/broken.textproto").write_text("id: ")
    run = tapwright("tasks", "ls", "out", "--format", "quiet", cwd=here)
    assert (run.returncode, run.stdout.split()) == (1, ["find_a", "find_b", "find_c"])
    assert "out/broken.textproto, line 1" in run.stderr
    shown = tapwright("tasks", "show", "out/b.textproto", "--format", "json", cwd=here)
    assert json.loads(shown.stdout)["instruction"] == "Search for tea."
    unknown = tapwright("tasks", "ls", "out", "--task", "find_d", cwd=here)
    assert unknown.returncode == 2
    assert "no task is called 'find_d' [TW101]" in unknown.stderr


RULE = """\
task_id: {id}
description: Send a message
nodes:
- id: chat
  condition: {{type: escalate, params: {{icons: {{any: [send]}}, ocr: {{any: [Send]}}}}}}
success: {{any_of: [chat]}}
"""


def test_check_warns_of_pictures_and_of_ids_twice_and_passes_over_what_is_no_rule(
    tmp_path: Path,
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(RULE.format(id="chat"), encoding="utf-8")
    (tmp_path / "emulator.conf.yaml").write_text("adb_path: adb\n", encoding="utf-8")
    run = tapwright("tasks", "check", ".", "--format", "json", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    [row] = json.loads(run.stdout)
    assert (row["place"], row["level"], row["rule"]) == ("b.yaml", "warning", "duplicate id")
    assert "the id 'chat' is that of a.yaml, too" in row["what"]
    assert "a.yaml, chat: pictures of icons are not there: send" in run.stderr
    assert "emulator.conf.yaml: has no nodes, so it is no rule; passed over" in run.stderr
    assert "2 files: 0 errors, 3 warnings" in run.stderr
    run = tapwright("tasks", "check", "emulator.conf.yaml", cwd=tmp_path)
    assert run.returncode == 1
    run = tapwright("tasks", "ls", ".", "--format", "quiet", cwd=tmp_path)
    assert run.stdout.split() == ["chat"]


def test_check_of_a_rule_without_a_defect_is_an_empty_list(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(RULE.format(id="chat"), encoding="utf-8")
    run = tapwright("tasks", "check", "a.yaml", "--format", "json", cwd=tmp_path)
    assert json.loads(run.stdout) == []


def test_the_bookmark_template_of_wikihow_expands_to_what_upstream_makes_of_it(
    tmp_path: Path,
) -> None:
    golden = Path(__file__).parents[1] / "golden/mobile_env_bookmark"
    words = ("--task", str(golden / "tasks/one_bookmark.task"), "-p", str(golden / "templates"))
    out = tmp_path / "bookmark.textproto"
    run = tapwright("tasks", "expand", *words, "-o", str(out))
    assert run.returncode == 0, run.stderr
    assert read_task(out) == read_task(golden / "expected.textproto")
    run = tapwright("tasks", "expand", *words, "--compat", "mobile-env")
    assert run.stdout == (golden / "expected.textproto").read_text(encoding="utf-8")
    run = tapwright("tasks", "check", str(out))
    assert run.returncode == 0, run.stderr
