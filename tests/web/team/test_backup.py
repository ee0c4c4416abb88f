"""A team as a file, and in another database: nothing is lost, nothing invalid gets in."""

import json
from pathlib import Path

import pytest

from tapwright.web.errors import BackupError
from tapwright.web.team.backup import read_backup, read_team, write_backup, write_team
from tapwright.web.team.database import Database
from tapwright.web.team.saved_views import NamedView
from tapwright.web.team.team import Team
from tests.web.team.conftest import MakeUrl


def fill(url: str) -> Team:
    team = Team(url)
    for name, role in (("anna", "annotator"), ("李雷", "reviewer"), ("gone", "admin")):
        team.accounts.add(name, role)  # type: ignore[arg-type]
    team.accounts.remove("gone")
    team.queue.assign("phone", ["wifi_off", "wifi_on"], copies=2, only=None)
    team.queue.assign("phone", ["wifi_off"], copies=1, only="anna")
    first = team.queue.items()[0].item
    team.queue.lease("anna", first)
    team.queue.complete("anna", first, "wifi_off-anna")
    team.queue.lease("李雷", first)
    team.views.save(NamedView("anna", "周一", "q=wifi&sort=-steps", shared=True))
    return team


@pytest.fixture
def backup(make_url: MakeUrl, tmp_path: Path) -> Path:
    team = fill(make_url())
    write_backup(read_team(team.database), tmp_path / "team.jsonl")
    team.close()
    return tmp_path / "team.jsonl"


@pytest.mark.slow
def test_a_backup_restores_the_same_team_in_either_database(
    make_url: MakeUrl, tmp_path: Path
) -> None:
    team = fill(make_url())
    write_backup(read_team(team.database), tmp_path / "team.jsonl")
    for url in (make_url(), f"sqlite:///{tmp_path}/restored.db"):
        restored = Team(url)
        write_team(read_backup(tmp_path / "team.jsonl"), restored.database)
        assert read_team(restored.database) == read_team(team.database)
        assert restored.accounts.members() == team.accounts.members()
        assert restored.queue.items() == team.queue.items()
        assert restored.views.list_for("李雷") == team.views.list_for("anna")
        restored.close()
    team.close()


@pytest.mark.slow
def test_items_get_new_numbers_after_a_restore(backup: Path, make_url: MakeUrl) -> None:
    restored = Team(make_url())
    write_team(read_backup(backup), restored.database)
    old = {one.item for one in restored.queue.items()}
    new = restored.queue.assign("phone", ["wifi_on"], copies=1, only=None)
    assert not old & set(new)
    restored.close()


@pytest.mark.slow_but_one
def test_a_token_still_signs_in_after_a_restore(make_url: MakeUrl, tmp_path: Path) -> None:
    team = Team(make_url())
    token = team.accounts.add("anna", "admin")
    write_backup(read_team(team.database), tmp_path / "team.jsonl")
    assert token not in (tmp_path / "team.jsonl").read_text("utf-8")
    restored = Team(make_url())
    write_team(read_backup(tmp_path / "team.jsonl"), restored.database)
    assert restored.accounts.sign_in(token)
    team.close()
    restored.close()


def test_a_database_that_has_a_team_is_left_alone(backup: Path, make_url: MakeUrl) -> None:
    team = Team(make_url())
    team.accounts.add("bo", "admin")
    before = read_team(team.database)
    with pytest.raises(BackupError, match="it has a team of 1 accounts"):
        write_team(read_backup(backup), team.database)
    assert read_team(team.database) == before
    team.close()


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    database = Database(f"sqlite:///{tmp_path}/small.db")
    database.close()
    team = fill(f"sqlite:///{tmp_path}/small.db")
    write_backup(read_team(team.database), tmp_path / "small.jsonl")
    team.close()
    return tmp_path / "small.jsonl"


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (0, {"format": "something"}, "line 1: format"),
        (0, {"schema": 99}, "version 99; expected"),
        (1, {"role": "owner"}, "line 2: team_account.role"),
        (1, {"token": "plain"}, "line 2: team_account.token"),
        (1, {"since": "today"}, "line 2: team_account.since"),
        (2, {"name": "anna"}, "line 3: the account 'anna' is there twice"),
        (-2, {"item": 77}, "no item before it is 77"),
        (-2, {"name": "nobody"}, "no account before it is 'nobody'"),
        (-2, {"until": 1e999}, "until"),
        (-2, {"table": "team_session"}, "line "),
    ],
)
def test_a_backup_that_is_not_whole_is_refused_by_line(
    small: Path, line: int, change: dict[str, object], message: str
) -> None:
    lines = _lines(small)
    lines[line] = json.dumps({**json.loads(lines[line]), **change})
    small.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(BackupError, match=message):
        read_backup(small)


def test_a_backup_that_is_cut_off_is_refused_wherever(small: Path) -> None:
    whole = small.read_bytes()
    for length in range(0, len(whole), 37):
        small.write_bytes(whole[:length])
        with pytest.raises(BackupError):
            read_backup(small)
