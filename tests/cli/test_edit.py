"""The commands that change episodes and take changes back."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tapwright.store.store import EpisodeStore
from tests.cli.running import tapwright
from tests.store.episodes import episode

GOLDEN = Path(__file__).parents[1] / "golden" / "mobile_env_pickles"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    made = EpisodeStore(tmp_path / "store")
    for name in ("a", "b"):
        made.write(replace(episode(4, name), task_id="open_note_1"))
    return made.root


def lengths(store: Path) -> list[int]:
    return [len(one.steps) for one in EpisodeStore(store)]


def test_an_edit_is_shown_then_made_then_undone_and_done_again(store: Path) -> None:
    asked = ("episodes", "edit", str(store), "a", "delete:1:3,rewardize:1:-1")
    shown = tapwright(*asked, "--dry-run")
    assert shown.returncode == 0
    assert "-    1  tap at (50 %, 25 %) · because 1" in shown.stdout
    assert "+    1  tap at (50 %, 25 %) · reward -1 · because 3" in shown.stdout
    assert "nothing was changed" in shown.stderr
    assert lengths(store) == [4, 4]
    assert json.loads(tapwright(*asked).stdout) == [
        {"episode": "a", "what": "edited", "version": 2}
    ]
    assert lengths(store) == [2, 4]
    assert tapwright("episodes", "undo", str(store), "a").returncode == 0
    assert lengths(store) == [4, 4]
    assert tapwright("episodes", "redo", f"{store}/a").returncode == 0
    assert lengths(store) == [2, 4]
    log = json.loads(tapwright("episodes", "log", str(store), "a").stdout)
    assert [(line["change"], line["version"]) for line in log] == [
        ("recorded", 1), ("edit", 2), ("undo", 1), ("redo", 2),
    ]  # fmt: skip
    assert log[1]["edit"] == "delete:1:3,rewardize:1:-1"


@pytest.mark.parametrize("ids", [(), ("a",)])
def test_the_same_edit_twice_is_made_once_unless_it_is_asked_for_again(
    store: Path, ids: tuple[str, ...]
) -> None:
    asked = ("episodes", "edit", str(store), *ids, "0:delete:1:2")
    first, second = tapwright(*asked), tapwright(*asked)
    assert second.stdout == first.stdout
    assert "was made already" in second.stderr
    assert lengths(store) == [3, 4]
    assert "was made already" not in tapwright(*asked, "--again").stderr
    assert lengths(store) == [2, 4]


def test_the_same_edit_of_a_pickle_twice_is_made_once(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "resaved" / "note-open.pkl", tmp_path))
    asked = ("episodes", "edit", str(path), "0:delete:1:2")
    first, second = tapwright(*asked), tapwright(*asked)
    assert second.stdout == first.stdout
    assert "was made already" in second.stderr
    assert json.loads(tapwright(*asked, "--again").stdout)["before"] == f"{path}.old.2"


def test_an_undo_of_a_version_is_made_once(store: Path) -> None:
    for modifiers in ("delete:0:1", "delete:0:2"):
        tapwright("episodes", "edit", str(store), "a", modifiers)
    asked = ("episodes", "undo", str(store), "a", "--version", "3")
    assert [tapwright(*asked).returncode for _ in range(2)] == [0, 1]
    assert lengths(store) == [3, 4]


def test_a_bad_modifier_is_underlined_and_changes_nothing(store: Path) -> None:
    run = tapwright("episodes", "edit", str(store), "0:remove,0:delete:1:9")
    assert run.returncode == 2
    assert "error: modifier 2: b has no steps 1 to before 9" in run.stderr
    assert "\n           ^^^^^^^^^^^^" in run.stderr
    assert lengths(store) == [4, 4]


def test_a_removed_episode_is_not_listed_and_comes_back(store: Path) -> None:
    assert tapwright("episodes", "edit", f"{store}/b", "remove").returncode == 0
    assert tapwright("episodes", "ls", str(store), "--format", "quiet").stdout == "a\n"
    gone = tapwright("episodes", "show", str(store), "b")
    assert gone.returncode == 5
    assert f"tapwright episodes undo {store} b" in gone.stderr
    assert tapwright("episodes", "undo", str(store), "b").returncode == 0
    assert lengths(store) == [4, 4]


def test_instructions_come_from_the_directory_of_tasks(store: Path) -> None:
    run = tapwright(
        "episodes", "edit", str(store), "a", "instructionize:1:0", "--tasks", str(GOLDEN / "tasks")
    )
    assert run.returncode == 0, run.stderr
    assert EpisodeStore(store).read("a").steps[1].instructions == ("First, open it",)


def test_there_is_nothing_to_undo_in_a_recording(store: Path) -> None:
    run = tapwright("episodes", "undo", str(store), "a")
    assert run.returncode == 5
    assert "as it was recorded" in run.stderr
    assert tapwright("episodes", "undo", str(store)).returncode == 2


def test_a_pickle_is_edited_in_place_with_the_old_one_beside(tmp_path: Path) -> None:
    path = Path(shutil.copy(GOLDEN / "resaved" / "note-open.pkl", tmp_path))
    run = tapwright("episodes", "edit", str(path), "-1:delete:1:2")
    assert json.loads(run.stdout)["before"] == f"{path}.old"
    refused = tapwright("episodes", "edit", str(path), "notes-1", "remove")
    assert refused.returncode == 2
    assert "begin each modifier with the trajectory's number" in refused.stderr


def test_what_an_edit_of_a_pickle_would_do_is_shown_and_not_done(tmp_path: Path) -> None:
    path = tmp_path / "note-open.pkl"
    shutil.copy(GOLDEN / "resaved" / "note-open.pkl", path)
    before = path.read_bytes()
    run = tapwright(
        "episodes", "edit", str(path), "0:rewardize:2:1,0:delete:1:2,1:remove", "--dry-run"
    )
    assert run.returncode == 0, run.stderr
    shown = run.stdout.splitlines()
    assert shown[0] == "trajectory 0"
    assert [line[0] for line in shown if line[1] == " "][:4] == [" ", "-", "-", "+"]
    assert "trajectory 1" in shown
    assert "nothing was changed" in run.stderr
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_store_that_is_not_there_is_told_with_the_whole_command(tmp_path: Path) -> None:
    run = tapwright("episodes", "edit", "notes-1", "rewardize:0:1", cwd=tmp_path)
    assert run.returncode == 2
    assert "tapwright episodes edit STORE notes-1 'rewardize:0:1'" in run.stderr


def test_a_video_is_made_of_each_episode(store: Path, tmp_path: Path) -> None:
    run = tapwright("episodes", "video", str(store), "-o", str(tmp_path / "v"), "--width", "80")
    assert run.stdout.split() == [str(tmp_path / "v" / f"{name}.webm") for name in ("a", "b")]
    assert run.returncode == 0
    run = tapwright(
        "episodes", "video", str(store), "a", "-o", str(tmp_path / "v"), "--codec", "h264"
    )
    assert run.stdout.split() == [str(tmp_path / "v" / "a.mp4")]
