"""`tapwright convert`, with answers from stdin and from files."""

import json
from pathlib import Path

from tests.cli.running import tapwright


def test_one_answer_is_converted() -> None:
    run = tapwright(
        "convert",
        "--from",
        "mmbench-gui",
        "--to",
        "holo",
        "--size",
        "1080x2400",
        stdin="(540,1200)",
    )
    assert (run.returncode, run.stdout) == (0, "Click(336, 742)\n")


def test_a_bad_answer_is_told_and_ends_with_1() -> None:
    run = tapwright(
        "convert", "--from", "json", "--to", "holo", "--size", "1080x2400", stdin="sorry"
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "json: no JSON object in the answer [TW410]\n"


def test_a_file_of_answers_is_converted_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    lines = [
        {"answer": "Action: click(start_box='(500,500)')", "size": "720x1280"},
        {"answer": "Action: scroll(start_box='(500,500)', direction='down')"},
        {"answer": "Action: hotkey(key='ctrl c')"},
        {"answer": "no"},
        {"answer": "Action: wait()", "size": "wide"},
    ]
    path.write_text("\n".join([*map(json.dumps, lines), "torn"]) + "\n")
    words = ("--from", "ui-tars-1.0", "--to", "agentcpm-gui", "--size", "1080x2400", str(path))
    run = tapwright("convert", *words)
    assert run.returncode == 1
    first, second = map(json.loads, run.stdout.splitlines())
    assert first == {"answer": '{"thought":"","POINT":[500,500]}', "size": "720x1280"}
    assert second["answer"] == '{"thought":"","POINT":[500,750],"to":[500,250]}'
    told = [line.split(":")[0] for line in run.stderr.splitlines()]
    assert told == ["line 3", "line 4", "line 5", "line 6"]
    rows = json.loads(tapwright("convert", *words, "--format", "json").stdout)
    assert [row["status"] for row in rows] == ["ok", "ok", "unsayable", "bad", "bad", "bad"]


def test_what_is_missing_is_wrong_usage(tmp_path: Path) -> None:
    run = tapwright("convert", "--from", "json", "--to", "holo", stdin="{}")
    assert run.returncode == 2
    assert "--size 1080x2400" in run.stderr
    assert tapwright("convert", "--from", "jsn", "--to", "holo", stdin="{}").returncode == 2
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert tapwright("convert", "--from", "json", "--to", "holo", str(empty)).returncode == 5
