"""scripts/choose_tests.py: which tests a change can break, and that none is left out for long."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scripts import load_script

choose = load_script("choose_tests")
TESTS = choose.Tests()


def reason(test: str, *changed: str) -> str:
    """Why a change chooses a test."""
    found: str = choose.Change(changed).reason(test, TESTS)
    return found


@given(st.text(min_size=1), st.integers(0, 10**6))
def test_three_commits_in_a_row_run_every_test(name: str, count: int) -> None:
    turns = [(count + one) % choose.TURNS for one in range(choose.TURNS)]
    assert choose.group_of(name) in turns


def test_a_change_touches_its_room_and_reaches_those_that_import_it() -> None:
    change = choose.Change(["src/tapwright/devices/desktop/x11.py"])
    assert set(change.touched) == {"devices"}
    assert "tapwright.devices.desktop.device" in change.modules
    assert "store" not in change.reached
    assert "tapwright.devices.web.device" not in change.modules
    geometry = choose.Change(["src/tapwright/core/geometry.py"])
    assert {"devices", "conventions", "visualize"} <= set(geometry.reached)


@pytest.mark.parametrize(
    ("test", "changed", "why"),
    [
        ("tests/store/test_trash.py", "src/tapwright/store/trash.py", "changed"),
        ("tests/store/test_trash.py", "tests/store/test_trash.py", "changed itself"),
        ("tests/web/library/test_bulk.py", "tests/web/library/world.py", "changed"),
        ("tests/devices/desktop/test_vnc.py", "tests/devices/conftest.py", "changed"),
        ("tests/record/test_demonstration.py", "src/tapwright/devices/fake.py", "imports"),
        ("tests/jobs/test_cluster.py", "locks/core.txt", "locks/core.txt changed"),
        ("tests/web/test_deploy.py", "Dockerfile", "names Dockerfile"),
        ("tests/test_audit.py", "scripts/audit.py", "names scripts/audit.py"),
        ("tests/test_reference.py", "src/tapwright/store/tags.py", "reads src/"),
        ("tests/web/acceptance/test_viewer.py", "frontend/src/main.tsx", "changed"),
        ("tests/tasks/test_phone_levels.py", "src/tapwright/tasks/definitions/a", "changed"),
    ],
)  # fmt: skip
def test_what_a_change_can_break_is_chosen(test: str, changed: str, why: str) -> None:
    assert why in reason(test, changed)


@pytest.mark.parametrize(
    ("test", "changed"),
    [
        ("tests/store/test_trash.py", "src/tapwright/web/login.py"),
        ("tests/tasks/test_desktop.py", "src/tapwright/formats/importers/aitz.py"),
        ("tests/jobs/test_cluster.py", "docs/record.md"),
        ("tests/tasks/test_sites.py", "CHANGELOG.md"),
    ],
)
def test_what_it_cannot_break_waits_for_its_turn(test: str, changed: str) -> None:
    assert not reason(test, changed)


def chosen_in(turn: int, *changed: str) -> Any:
    """What is chosen for a change, when it is this turn."""
    found = choose.Chosen(base="HEAD", turn=turn)
    found.tests, found.change = TESTS, choose.Change(changed)
    return found


@pytest.mark.slow
def test_an_environment_is_there_for_all_tests_that_start_its_python() -> None:
    named: list[str] = []
    for turn in range(choose.TURNS):
        chosen = chosen_in(turn, "CHANGELOG.md")
        here = list(chosen.environments())
        for path, file in TESTS.files.items():
            if file.environments and chosen.takes(f"{path}::test_one"):
                assert set(file.environments) <= set(here)
        named += here
    assert sorted(named) == sorted(choose.ENVIRONMENTS)  # once in three commits
    reached = set(chosen_in(0, "src/tapwright/faces/errors.py").environments())
    assert {"faces/mcp", "faces/openenv", "faces/verifiers"} <= reached


def test_every_folder_of_tests_is_called_like_a_room_or_is_for_all() -> None:
    change = choose.Change([])
    rooms = {choose.room_of(module) for module in change.graph.modules}
    folders = {file.room for file in TESTS.files.values()} - {""}
    assert folders - rooms == {"first_hour", "hostile", "origins", "release"}


def test_the_change_of_the_main_branch_is_its_last_commit(tmp_path: Path) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false")
        run = subprocess.run(
            ["git", "-C", tmp_path, *who, *words], capture_output=True, text=True, check=True
        )
        return run.stdout.strip()

    git("init", "-q", "-b", "main")
    commits = []
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("")
        git("add", ".")
        git("commit", "-q", "-m", str(number))
        commits.append(git("rev-parse", "HEAD"))
    assert choose.find_base(tmp_path) == commits[1]
    assert choose.changed_paths(commits[1], tmp_path) == ("2.txt",)
    assert choose.turn_of(tmp_path) == 0
    assert choose.read_base("0" * 40, tmp_path) == commits[1]
    assert choose.read_base("HEAD", tmp_path) == commits[2]
    with pytest.raises(pytest.UsageError, match="no commit nowhere here"):
        choose.read_base("nowhere", tmp_path)
    (tmp_path / "new.txt").write_text("")
    assert choose.find_base(tmp_path) == commits[2]
    assert choose.changed_paths(commits[2], tmp_path) == ("new.txt",)
    git("checkout", "-q", "-b", "mine")
    git("add", ".")
    git("commit", "-q", "-m", "mine")
    (tmp_path / "more.txt").write_text("")
    assert choose.find_base(tmp_path) == commits[2]
    assert choose.changed_paths(commits[2], tmp_path) == ("more.txt", "new.txt")


def test_a_room_that_is_none_is_refused_with_those_that_are() -> None:
    with pytest.raises(pytest.UsageError, match=r"no room stroe; there are .*store"):
        choose.Chosen(room="stroe")
