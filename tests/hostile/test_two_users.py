"""Two users on one machine: neither changes what the other has, whatever the system allows."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tapwright.files.temporary import OwnedDirectory
from tapwright.store.store import EpisodeStore
from tests.faces.environments import with_sources
from tests.store.episodes import episode

pytestmark = pytest.mark.skipif(os.name == "nt", reason="has users of another kind")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user"
)
NOBODY = 65534
COMMANDS = (
    "init", "trust",
    "record --suite tasks --agent random --device fake -o store", "episodes ls store",
    "episodes tag store --add x --yes", "annotate run store --with rules",
    "sft export store --to trl --convention json --annotator rules --outcome any -o out",
    "episodes pack store -o packed", "episodes copy store copied", "eval make store -o bench",
    "eval run l3 --data tasks --device fake -m random -o run", "report run -o report.html",
    "team add anna --role admin --team sqlite:///team.db", "episodes bundle store -o site",
)  # fmt: skip
TASK = """
id: "pay" command: "Pay." max_num_steps: 4
event_sources { id: 1 finish_event {} }
event_slots { episode_end_listener { type: AND events { id: 1 } transformation: "y = True" }
  score_listener { type: AND events { id: 1 } transformation: "y = 1" } }
"""


def run(words: str, at: Path, begin: Callable[[], object]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tapwright", *words.split()],
        cwd=at,
        env={**with_sources(), "HOME": str(at), "XDG_CONFIG_HOME": str(at / "config")},
        preexec_fn=begin,
        capture_output=True,
        text=True,
        check=False,
    )


def become_nobody() -> None:
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def reachable(path: Path) -> Path:
    """The directory, into which another user may look."""
    for one in (path, *path.parents):
        if one.stat().st_uid == os.geteuid() and one != Path("/"):
            one.chmod(one.stat().st_mode | 0o055)
    return path


@pytest.mark.slow
def test_nothing_can_be_changed_by_others_under_any_mask(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir(mode=0o755)
    (tmp_path / "tasks/pay.textproto").write_text(TASK)
    for words in COMMANDS:
        ended = run(words, tmp_path, lambda: os.umask(0))
        assert ended.returncode == 0, (words, ended.stderr)
    open_to_all = [
        one for one in tmp_path.rglob("*")
        if not one.is_symlink() and one.stat().st_mode & stat.S_IWOTH
    ]  # fmt: skip
    assert open_to_all == []
    assert stat.S_IMODE((tmp_path / "config/tapwright/trusted").stat().st_mode) == 0o700


@needs_root
def test_a_copy_shares_no_file_with_another_user(tmp_path: Path) -> None:
    store = EpisodeStore(reachable(tmp_path) / "theirs")
    store.write(episode(2, "one"))
    for one in (store.root, *store.root.rglob("*")):
        os.chown(one, NOBODY, NOBODY)
    ended = run("episodes copy theirs mine", tmp_path, lambda: None)
    assert ended.returncode == 0, ended.stderr
    copied = [one.stat() for one in (tmp_path / "mine/one").rglob("*") if one.is_file()]
    assert {(status.st_nlink, status.st_uid) for status in copied} == {(1, 0)}


@needs_root
def test_what_others_left_in_the_shared_directory_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(reachable(tmp_path)))
    tmp_path.chmod(0o1777)
    mine, theirs = tmp_path / "swept-mine", tmp_path / "swept-theirs"
    for folder, user in ((mine, 0), (theirs, NOBODY)):
        folder.mkdir()
        (folder / "owner.lock").touch()
        for one in (folder / "owner.lock", folder):
            os.chown(one, user, user)
            os.utime(one, (1e9, 1e9))
    linked = tmp_path / "swept-link"
    linked.symlink_to(mine)
    OwnedDirectory("swept-").remove()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["swept-link", "swept-theirs"]
