"""Views that members name: their own, the team's when they are shared, and nobody else's."""

from pathlib import Path

import pytest

from tapwright.web.app import WebConfig, create_app
from tapwright.web.team.saved_views import NamedView
from tapwright.web.team.team import Team
from tests.web.asking import OURS, client

MINE = NamedView("anna", "To tag", "tag=&sort=-steps", shared=False)
TEAMS = NamedView("rita", "To review", "review=open", shared=True)


@pytest.fixture
def team(url: str) -> Team:
    team = Team(url)
    team.accounts.add("anna", "annotator")
    team.accounts.add("rita", "reviewer")
    return team


@pytest.mark.slow
def test_members_see_their_own_views_and_what_others_share(team: Team) -> None:
    team.views.save(MINE)
    team.views.save(TEAMS)
    assert team.views.list_for("anna") == [TEAMS, MINE]
    assert team.views.list_for("rita") == [TEAMS]
    team.close()


def test_a_view_of_the_same_name_replaces_ones_own_alone(team: Team) -> None:
    other = NamedView("rita", MINE.name, "q=mail", shared=True)
    changed = NamedView("anna", MINE.name, "q=wifi", shared=True)
    for view in (MINE, other, changed):
        team.views.save(view)
    assert team.views.list_for("rita") == [changed, other]
    team.views.delete("rita", MINE.name)
    team.views.delete("rita", "nothing of this name")
    assert team.views.list_for("rita") == [changed]
    team.close()


def test_views_are_saved_over_the_api_under_the_name_that_signed_in(tmp_path: Path) -> None:
    team = Team(f"sqlite:///{tmp_path}/team.db")
    tokens = {name: team.accounts.add(name, "annotator") for name in ("anna", "ben")}
    app = create_app(WebConfig(episodes=tmp_path, authenticator=team.accounts, team=team))
    anna, ben = (client(app, headers=OURS) for _ in tokens)
    for browser, token in zip((anna, ben), tokens.values(), strict=True):
        assert browser.post("/api/login", json={"token": token}).status_code == 200
    sent = {"name": "Wi-Fi", "query": "q=wifi", "shared": True}
    assert anna.post("/api/views/save", json=sent).status_code == 200
    seen = {"owner": "anna", **sent}
    assert anna.get("/api/views").json() == ben.get("/api/views").json() == [seen]
    assert ben.post("/api/views/delete", json={"name": "Wi-Fi"}).status_code == 200
    assert ben.get("/api/views").json() == [seen]
    assert anna.post("/api/views/delete", json={"name": "Wi-Fi"}).status_code == 200
    assert ben.get("/api/views").json() == []
    team.close()
