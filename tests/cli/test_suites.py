"""`tapwright suites`, and `eval run` with a suite: what a person sees."""

import json
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tapwright.harnesses import harnesses
from tests.cli.running import tapwright

ROOT = Path(__file__).parents[2]
OWN = "tests.harnesses.sums:Sums.load"


def test_ls_says_which_suites_are_not_installed(tmp_path: Path) -> None:
    run = tapwright("suites", "ls", "--dir", str(tmp_path), "--format", "json")
    rows = json.loads(run.stdout)
    assert [row["name"] for row in rows] == list(harnesses.names())
    assert not any(row["installed"] for row in rows)


@pytest.mark.parametrize(
    ("option", "value"), [("--suite-option", "data=OSWorld"), ("--suite-python", sys.executable)]
)
def test_ls_of_all_suites_takes_no_option_of_one(option: str, value: str, tmp_path: Path) -> None:
    run = tapwright("suites", "ls", "--dir", str(tmp_path), option, value)
    assert run.returncode == 2
    assert f"{option} has no effect on the list of all suites" in run.stderr
    assert f"tapwright suites ls NAME {option}" in run.stderr
    assert not run.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("suites", "check", "androidworld"),
        ("eval", "run", "androidworld", "-m", "random"),
        ("suites", "check", "androidworld", "--suite-python", sys.executable),
    ],
    ids=["check", "run", "a Python without it"],
)
def test_a_suite_that_is_not_there_is_named_with_the_way_to_it(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    run = tapwright(*words, cwd=tmp_path, TAPWRIGHT_SUITES=str(tmp_path / "suites"))
    assert run.returncode != 0
    assert "TW710" in run.stderr
    assert "suites install androidworld" in run.stderr or "android_world" in run.stderr


@pytest.mark.parametrize("name", ["androidworld", "osworld", "browsergym"])
def test_a_suite_is_installed_for_its_own_version_of_python(name: str, tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho 3.8\n")
    old.chmod(0o755)
    run = tapwright("suites", "install", name, "--dir", str(tmp_path), "--python", str(old))
    assert run.returncode != 0
    assert "is 3.8" in run.stderr
    assert "--python python3.11" in run.stderr


def test_a_run_says_apart_what_could_not_be_set_up(tmp_path: Path) -> None:
    words = (
        *("eval", "run", OWN, "-m", "tests.harnesses.sums:Adder.make", "-o", "out"),
        *("--suite-python", sys.executable, "--suite-option", "tasks=small no-set-up exit"),
    )
    run = tapwright(*words, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert run.returncode == 1, run.stderr
    assert "100.0 %" in run.stdout + run.stderr
    assert "set-up failed 1" in run.stdout + run.stderr
    assert "suite lost 1" in run.stdout + run.stderr
    assert "the app store does not answer" in run.stderr
    assert "exit code 7" in run.stderr


def resume_run_of(benchmark: str, source: str, directory: Path) -> CompletedProcess[str]:
    """What `eval resume` says of a log that names a suite, when another Python is given."""
    header = {
        "tapwright": "0", "benchmark": benchmark, "source": source,
        "data_sha256": "", "subject": "random", "prompt_sha256": "", "samples": 1,
        "config": {"spec": "random", "plan": {}, "device": "fake", "convention": "json"},
    }  # fmt: skip
    line = {"job": "evaluate", "config": header, "created": "2026-01-01T00:00:00+00:00"}
    (directory / "run.jsonl").write_text(json.dumps(line) + "\n")
    return tapwright("eval", "resume", str(directory), "--suite-python", sys.executable)


def test_the_suite_of_a_log_is_not_started_by_resume(tmp_path: Path) -> None:
    run = resume_run_of("androidworld", "/tmp/theirs/python", tmp_path)
    assert run.returncode == 2
    assert "the run has the suite of /tmp/theirs/python" in run.stderr
    assert "if you trust it: --suite-python /tmp/theirs/python" in run.stderr


def test_resume_asks_for_the_options_of_a_suite(tmp_path: Path) -> None:
    run = resume_run_of("osworld", f"{sys.executable}?data=%2Fmy+tasks", tmp_path)
    assert run.returncode == 2
    assert "if you trust it: --suite-option 'data=/my tasks'\n" in run.stderr


def test_a_run_of_a_suite_of_ones_own_goes_on_by_the_same_command(tmp_path: Path) -> None:
    words = (
        *("eval", "run", OWN, "-m", "tests.harnesses.sums:Adder.make", "-o", "out"),
        *("--suite-python", sys.executable, "--suite-option", "tasks=no-set-up"),
    )
    run = tapwright(*words, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert "hint: give the same command again" in run.stderr
    resumed = tapwright("eval", "resume", "out", cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert resumed.returncode == 1
    assert "'sums' is no benchmark of tapwright's or a package's" in resumed.stderr
    assert "start it again in the same way" in resumed.stderr


def test_a_run_that_nobody_judged_says_why_in_its_report(tmp_path: Path) -> None:
    words = (
        *("eval", "run", OWN, "-m", "tests.harnesses.sums:Adder.make", "-o", "out"),
        *("--suite-python", sys.executable, "--suite-option", "tasks=no-set-up no-verdict"),
    )
    tapwright(*words, cwd=tmp_path, PYTHONPATH=str(ROOT))
    assert tapwright("report", "out", "-o", "out.html", cwd=tmp_path).returncode == 0
    page = (tmp_path / "out.html").read_text()
    assert "How attempts ended" in page
    assert page.count("set-up failed") == page.count("evaluator failed") == 1
    assert "0 of 2 attempts were judged" in page
    assert "failed requests</dt>" not in page
    assert "Sums 1.0 c0ffee" in page


def test_a_table_of_runs_on_two_versions_says_so(tmp_path: Path) -> None:
    version = tmp_path / "version"
    for number in ("1.0", "1.1"):
        version.write_text(number)
        words = (
            *("eval", "run", OWN, "-m", "tests.harnesses.sums:Adder.make", "-o", number),
            *("--suite-python", sys.executable, "--suite-option", "tasks=small"),
            *("--suite-option", f"version={version}"),
        )
        run = tapwright(*words, cwd=tmp_path, PYTHONPATH=str(ROOT))
        assert run.returncode == 0, run.stderr
    table = tapwright("eval", "table", "1.0", "1.1", "--to", "md", cwd=tmp_path)
    assert "different data (Sums 1.0 c0ffee, Sums 1.1 c0ffee)" in table.stderr
    assert table.stdout.count("100.0") == 2
