from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tapwright.core.episode import Episode
from tapwright.store.ids import directory_name
from tapwright.store.tags import write_tags
from tapwright.web.app import WebConfig, create_app
from tapwright.web.auth import User, roles_of
from tests.web.asking import client
from tests.web.library.world import STRANGE, World, make_world


class Anna:
    """A authenticator through which only the annotator Anna comes."""

    requires_login = True

    def find_user(self, cookie: str) -> User | None:
        return User("anna", roles_of("annotator"))

    def sign_in(self, token: str) -> str:
        return ""

    def sign_out(self, cookie: str) -> None: ...


@pytest.fixture
def world(episodes: list[Episode], tmp_path: Path) -> World:
    return make_world(tmp_path, episodes, runs=False)


@pytest.fixture
def browser(world: World) -> TestClient:
    return client(create_app(WebConfig(episodes=world.store.root)))


def ask(browser: TestClient, path: str, **query: str | int) -> dict[str, object]:
    response = browser.get(f"/api/{path}", params=query)
    assert response.status_code == 200, response.text
    found: dict[str, object] = response.json()
    return found


def test_every_frame_is_served_as_it_was_recorded_and_kept_for_good(
    world: World, browser: TestClient
) -> None:
    for id_ in world.store.ids():
        for number, step in enumerate(world.store.read(id_).steps):
            shot = step.observation.screenshot
            by_place = browser.get("/api/frame", params={"episode": id_, "step": number})
            by_hash = browser.get("/api/frame", params={"episode": id_, "sha": shot.sha256})
            assert by_place.content == by_hash.content == shot.data
            assert by_hash.headers["content-type"] == "image/png"
            assert "immutable" in by_hash.headers["cache-control"]
            assert "immutable" not in by_place.headers["cache-control"]
            again = {"If-None-Match": by_place.headers["etag"]}
            asked = browser.get(
                "/api/frame", params={"episode": id_, "step": number}, headers=again
            )
            assert (asked.status_code, asked.content) == (304, b"")


def test_an_episode_says_each_step_and_its_screens(world: World, browser: TestClient) -> None:
    told = ask(browser, "episode", id=STRANGE)
    episode = world.store.read(STRANGE)
    assert told["instruction"] == episode.instruction
    steps = told["steps"]
    assert isinstance(steps, list)
    assert [step["before"]["sha"] for step in steps] == [
        step.observation.screenshot.sha256 for step in episode.steps
    ]
    assert told["may_edit"] is True


def test_the_tree_says_which_node_the_action_reaches(world: World, browser: TestClient) -> None:
    told = ask(browser, "tree", episode="b", step=0)
    nodes, target = told["nodes"], told["target"]
    assert isinstance(nodes, list)
    assert isinstance(target, int)
    assert nodes[target]["label"] == "Groceries"
    assert nodes[target]["box"] == [0, 70 / 600, 1, 122 / 600]
    assert ask(browser, "tree", episode="b", step=1)["target"] is None


def test_a_thumbnail_is_a_jpeg_of_the_width_that_was_asked_for(browser: TestClient) -> None:
    made = browser.get("/api/thumb", params={"episode": "b", "step": 0, "w": 100})
    assert made.content.startswith(b"\xff\xd8")
    assert made.headers["content-type"] == "image/jpeg"
    for w in ("39", "5000", "-1", "x"):
        refused = browser.get("/api/thumb", params={"episode": "b", "step": 0, "w": w})
        assert refused.status_code == 422


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        ("episode", {"id": "../../etc/passwd"}, 404),
        ("episode", {"id": "\x00"}, 400),
        ("episode", {"id": "x" * 2000}, 400),
        ("episode", {}, 422),
        ("episode", {"id": "b", "version": 9}, 404),
        ("episode", {"id": "b", "version": "-1"}, 422),
        ("episode", {"id": "b", "run": "../episodes"}, 404),
        ("frame", {"episode": "b", "step": 99}, 422),
        ("frame", {"episode": "b", "step": 0, "moment": "../x"}, 422),
        ("frame", {"episode": "b", "sha": "../episode.json"}, 422),
        ("episodes", {"sort": "random"}, 422),
        ("run", {"name": ".."}, 404),
        ("run/picture", {"name": "..", "key": "1"}, 404),
    ],
)
@pytest.mark.slow_but_one
def test_what_is_no_id_or_value_of_ours_is_refused(
    path: str, query: dict[str, str], status: int, browser: TestClient
) -> None:
    response = browser.get(f"/api/{path}", params=query)
    assert response.status_code == status, response.text
    assert set(response.json()) == {"code", "message", "hint", "values"}


def test_an_annotator_sees_what_they_recorded_and_nothing_else(world: World) -> None:
    browser = client(create_app(WebConfig(episodes=world.store.root, authenticator=Anna())))
    listed = ask(browser, "episodes")
    assert (listed["total"], listed["found"]) == (1, 1)
    assert ask(browser, "episodes/facets")["agent"] == {"human/anna": 1}
    told = ask(browser, "episode", id=STRANGE)
    assert told["may_edit"] is False
    sha = world.store.read("b").steps[0].observation.screenshot.sha256
    for path, query in {
        "episode": {"id": "b"},
        "frame": {"episode": "b", "sha": sha},
        "thumb": {"episode": "b", "step": "0"},
        "tree": {"episode": "b", "step": "0"},
        "runs": {},
        "review/annotators": {},
    }.items():
        assert browser.get(f"/api/{path}", params=query).status_code == 403, path


def test_a_page_of_the_list_follows_the_filter_and_the_order(browser: TestClient) -> None:
    found = ask(browser, "episodes", app="notes", sort="-steps")
    episodes = found["episodes"]
    assert isinstance(episodes, list)
    assert [one["id"] for one in episodes] == ["long", "b", STRANGE, "e"]
    assert found["total"] == 7


def test_facets_count_under_the_filter_but_for_their_own_part(
    world: World, browser: TestClient
) -> None:
    write_tags(world.store.root / "b", add=["good", "new"])
    write_tags(world.store.root / "long", add=["good"])
    told = ask(browser, "episodes/facets", app="notes", tag="good")
    assert told["tag"] == {"good": 2, "new": 1}
    apps = told["app"]
    assert isinstance(apps, dict)
    assert apps == {"org.example.notes": 2, "org.example.mail": 1, "org.example.settings": 1}
    assert told["suite"] == {}
    assert ask(browser, "episodes/facets", q="tag == 'new'")["tag"] == {"good": 1, "new": 1}
    found = ask(browser, "episodes", app="notes", tag="good")["episodes"]
    assert isinstance(found, list)
    assert [(one["id"], one["tags"]) for one in found] == [
        ("long", ["good"]),
        ("b", ["good", "new"]),
    ]


def test_every_column_that_has_an_order_sorts_the_list(browser: TestClient) -> None:
    for column in ("task", "suite", "instruction", "agent", "device", "language", "outcome"):
        listed = ask(browser, "episodes", sort=column)["episodes"]
        assert isinstance(listed, list)
        values = [one[column] for one in listed]
        assert values == sorted(values), column
    for column in ("app", "tag", "nothing", "-"):
        refused = browser.get("/api/episodes", params={"sort": column})
        assert refused.status_code == (200 if column == "-" else 422), column


def test_a_broken_episode_is_told_in_the_list(world: World, browser: TestClient) -> None:
    (world.store.root / directory_name("b") / "episode.json").write_text("{")
    told = ask(browser, "episodes")
    assert told["total"] == 6
    assert isinstance(told["unreadable"], list)
    assert len(told["unreadable"]) == 1


def test_an_episode_without_its_lines_is_told_as_broken(world: World, browser: TestClient) -> None:
    (world.store.root / directory_name("b") / "steps.jsonl").unlink()
    told = browser.get("/api/episode", params={"id": "b"})
    assert told.status_code == 422
    assert told.json()["code"] == "TW204"
