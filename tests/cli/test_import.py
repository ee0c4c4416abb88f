"""Other tools' recordings on the command line."""

import json
import pickle
import shutil
import zipfile
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright

GOLDEN = Path(__file__).parents[1] / "golden" / "mobile_env_pickles"


def test_recordings_are_imported_and_exported(tmp_path: Path) -> None:
    store, out = str(tmp_path / "store"), str(tmp_path / "out")
    run = tapwright("episodes", "import", str(GOLDEN / "raw"), "-o", store, "--format", "json")
    assert run.returncode == 0, run.stderr
    assert [row["new"] for row in json.loads(run.stdout)] == [1, 1, 1]
    assert f"tapwright episodes ls {store}" in run.stderr
    run = tapwright("episodes", "export", store, "--to", "mobile-env", "-o", out)
    assert (run.returncode, run.stdout) == (0, f"{out}\n"), run.stderr
    names = sorted(path.name for path in Path(out).iterdir())
    assert len(names) == 2
    lengths = [
        [len(one) for one in pickle.loads(Path(out, name).read_bytes())["trajectories"]]
        for name in names
    ]
    assert sorted(lengths) == [[7], [9, 4]]


def test_a_bad_recording_ends_the_command_with_one_and_is_told(tmp_path: Path) -> None:
    store, given = tmp_path / "store", tmp_path / "bob.1.pkl"
    good = (GOLDEN / "two_in_one.pkl").read_bytes()
    given.write_bytes(good + pickle.dumps([{"task": "has no id"}]))
    run = tapwright("episodes", "import", str(given), "--from", "mobile-env", "-o", str(store))
    assert run.returncode == 1
    assert [(row["new"], row["unreadable"]) for row in json.loads(run.stdout)] == [(2, 1)]
    assert "has no 'task_id'" in run.stderr
    assert "has no 'task_id'" in json.loads((store / "unreadable.jsonl").read_text())["reason"]


def test_the_way_out_of_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("../out.pkl"), b"")
    run = tapwright("episodes", "import", str(tmp_path / "x.zip"), "-o", str(tmp_path / "store"))
    assert run.returncode == 1
    assert "nothing was unpacked; unpack it yourself if you trust who made it" in run.stderr
    (told,) = (tmp_path / "store" / "unreadable.jsonl").read_text().splitlines()
    assert json.loads(told)["hint"].startswith("unpack it yourself")


def test_a_record_without_an_event_is_told_as_a_step_that_was_left_out(tmp_path: Path) -> None:
    given = str(GOLDEN / "other_actions.pkl")
    run = tapwright("episodes", "import", given, "-o", str(tmp_path / "store"))
    assert run.returncode == 0
    assert [(row["new"], row["unreadable"]) for row in json.loads(run.stdout)] == [(2, 0)]
    assert "adb command" in run.stderr


def lines(root: Path, *goals: str | None) -> Path:
    """AndroidControl as lines; one without a goal has no steps, and is no episode."""
    steps = [{"action_content": {"action": "wait", "time": 1}, "screenshot": "0.png"}]
    file = root / "control.jsonl"
    file.write_text(
        "".join(
            f"{json.dumps({'episode_id': number, 'goal': goal or '', 'steps': goal and steps})}\n"
            for number, goal in enumerate(goals)
        ),
        encoding="utf-8",
    )
    return file


def test_one_bad_line_costs_one_episode_and_under_strict_the_rest_of_the_import(
    tmp_path: Path,
) -> None:
    file = lines(tmp_path, "a", None, "b", *[None] * 6)
    run = tapwright("episodes", "import", str(file), "-o", str(tmp_path / "store"))
    assert run.returncode == 1
    assert [(row["new"], row["unreadable"]) for row in json.loads(run.stdout)] == [(2, 7)]
    # Five, the first again in the sum, and once as a reason.
    assert run.stderr.count("steps: Input should be") == 7
    assert "and 2 more" in run.stderr
    assert len((tmp_path / "store/unreadable.jsonl").read_text().splitlines()) == 7
    run = tapwright("episodes", "import", str(file), "--strict", "-o", str(tmp_path / "strict"))
    assert run.returncode == 1
    assert [(row["new"], row["unreadable"]) for row in json.loads(run.stdout)] == [(1, 1)]
    assert "line 2: steps" in run.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("import", "x", "--from", "mobile-evn"), "did you mean 'mobile-env'?"),
        (("import", "x", "--from", "llamafactory"), "not a format that episodes are imported from"),
        (("import", "x", "--from", "aitz", "--tasks", "."), "--tasks applies to mobile-env"),
        (("export", "x", "--to", "llamafactory", "-o", "y"), "not a format that episodes are exp"),
        (("resave", "x.pkl"), "expected PATTERN:S:T"),
        (("resave", "x.%d.pkl:5:1"), "ends before it starts"),
    ],
)
def test_wrong_usage_says_the_way_out(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    run = tapwright("episodes", *words, cwd=tmp_path)
    assert run.returncode == 2
    assert told in run.stderr


def test_recordings_are_resaved_as_episodes_and_as_pickles(tmp_path: Path) -> None:
    words = (f"{GOLDEN}/raw/alice.%d.pkl:0:10", "resaved", str(GOLDEN / "tasks"))
    for new in (1, 0):
        run = tapwright("episodes", "resave", *words, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert [row["new"] for row in json.loads(run.stdout)] == [new] * 3
    for counts in ([2, 1], [0, 0]):
        run = tapwright("episodes", "resave", *words, "--to", "mobile-env", cwd=tmp_path)
        assert run.returncode == 0, run.stderr
        assert [row["new"] for row in json.loads(run.stdout)] == counts
    assert sorted(path.name for path in (tmp_path / "resaved").glob("*.pkl")) == [
        "note-open.pkl",
        "shop-find.pkl",
    ]


def test_an_import_puts_in_the_words_of_the_tasks_that_it_is_given(tmp_path: Path) -> None:
    words = (str(GOLDEN / "raw" / "alice.1.pkl"), "--tasks", str(GOLDEN / "tasks"))
    run = tapwright("episodes", "import", *words, "--format", "quiet", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    (id_,) = (path.name for path in (tmp_path / "episodes").iterdir() if path.is_dir())
    run = tapwright("episodes", "show", "episodes", id_, cwd=tmp_path)
    assert "milk" in run.stdout
    assert "[token" not in run.stdout


def test_a_folder_without_tasks_is_told(tmp_path: Path) -> None:
    run = tapwright("episodes", "resave", f"{GOLDEN}/raw/alice.%d.pkl:1:1", cwd=tmp_path)
    assert run.returncode == 5
    assert "textprotos: no .textproto files" in run.stderr


def test_a_link_that_leads_out_of_what_is_imported_is_refused_by_name(tmp_path: Path) -> None:
    raw, given = tmp_path / "elsewhere", tmp_path / "given"
    shutil.copytree(GOLDEN / "raw", raw)
    given.mkdir()
    shutil.copy(GOLDEN / "raw/alice.1.pkl", given)
    (given / "alice.9.pkl").symlink_to(raw / "alice.5.pkl")
    (tmp_path / "link").symlink_to(given)
    run = tapwright("episodes", "import", "link", "-o", "out", cwd=tmp_path)
    assert run.returncode == 1
    assert "alice.9.pkl: a link that leads out of link" in run.stderr
    assert len(EpisodeStore(tmp_path / "out").ids()) == 1


def test_what_no_format_reads_ends_the_command_with_one_and_companions_are_counted(
    tmp_path: Path,
) -> None:
    given, store = tmp_path / "given", tmp_path / "store"
    given.mkdir()
    shutil.copy(GOLDEN / "two_in_one.pkl", given)
    for name in ("README.md", "LICENSE", "more.md", "a.png"):
        (given / name).write_text("x")
    run = tapwright("episodes", "import", str(given), "-o", str(store))
    assert run.returncode == 0, run.stderr
    assert "files: 5 seen, 1 read, 4 left out: holds no recording (3); a picture" in run.stderr
    assert "episodes: 2 seen, 2 read, 0 left out" in run.stderr
    rows = json.loads(run.stdout)
    assert sum(row["files"]["seen"] for row in rows) == 5
    assert {Path(one["where"]).name for row in rows for one in row["left_out"]} == {
        "README.md",
        "LICENSE",
        "more.md",
        "a.png",
    }
    (given / "train.parquet").write_text("PAR1")
    run = tapwright("episodes", "import", str(given), "-o", str(store))
    assert run.returncode == 1
    assert "train.parquet: no format recognizes it" in run.stderr
    rows = json.loads(run.stdout)
    assert [Path(row["source"]).name for row in rows if row["unreadable"]] == ["train.parquet"]
    again = tapwright(
        *("episodes", "import", str(given), "-v", "--exclude", "*.parquet"), "-o", str(store)
    )
    assert again.returncode == 0, again.stderr
    assert "train.parquet: left out by --only or --exclude" in again.stderr
    assert "train.parquet" in json.loads((store / "unreadable.jsonl").read_text())["source"]
    nothing = tapwright(
        *("episodes", "import", str(given), "--exclude", "given", "--exclude", "*"),
        *("-o", str(tmp_path / "none")),
    )
    assert nothing.returncode == 1
    assert "nothing was read" in nothing.stderr
