"""What went well before is done again where its targets are, and nowhere else."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.agents.relocation import are_alike, have_same_words, relocate_decision
from tapwright.agents.replay import ReplayAgent, ReplayCache
from tapwright.core.actions import Action, Answer, Finish, PressKey, Swipe, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene
from tapwright.store.store import EpisodeStore

SIZE = Size(100, 200)
MIDDLE = Point(0.5, 0.5)


def node(text: str, top: int, inner: str = "", **attributes: str) -> str:
    given = {"class": "android.widget.Button", "clickable": "true", **attributes}
    told = "".join(f' {name}="{value}"' for name, value in given.items())
    return f'<node text="{text}" bounds="[10,{top}][90,{top + 20}]"{told}>{inner}</node>'


def screen(*nodes: str, app: str = "com.example.shop", tree: bool = True) -> Observation:
    xml = f"<hierarchy>{''.join(nodes)}</hierarchy>"
    picture = Screenshot(painted_scene(0, SIZE).picture)
    return Observation(picture, SIZE, UiTree(xml, SIZE) if tree else None, app=app)


def step(seen: Observation, action: Action) -> Step:
    return Step(seen, Decision(action))


def relocate_action(recorded: Step, now: Observation) -> Action | None:
    decision = relocate_decision(recorded, now)
    return None if decision is None else decision.action


def at(top: int) -> Point:
    return Point(0.5, (top + 10) / SIZE.height)


@given(tops=st.lists(st.sampled_from(range(0, 180, 20)), min_size=1, max_size=5, unique=True))
def test_on_the_same_screen_every_touch_goes_where_it_went(tops: list[int]) -> None:
    seen = screen(*(node(f"item {top}", top) for top in tops))
    for top in tops:
        action = relocate_action(step(seen, Tap(at=at(top))), seen)
        assert isinstance(action, Tap)
        assert action.at.x == pytest.approx(at(top).x)
        assert action.at.y == pytest.approx(at(top).y)


def test_a_tap_follows_its_element() -> None:
    then = screen(node("Pay", 20), node("Cart", 60))
    now = screen(node("Offer of the day", 20), node("Pay", 120), node("Cart", 160))
    action = relocate_action(step(then, Tap(at=at(20))), now)
    assert isinstance(action, Tap)
    assert action.at.y == pytest.approx(at(120).y)


@pytest.mark.parametrize(
    "now",
    [
        screen(node("Paid", 20)),
        screen(node("Pay", 20, checked="true")),
        screen(node("Pay", 20), app="com.example.bank"),
        screen(node("Pay", 60), node("Pay", 100)),
        screen(),
    ],
    ids=["other words", "another state", "another app", "twins", "nothing"],
)
def test_a_target_that_is_not_surely_there_is_not_touched(now: Observation) -> None:
    assert (
        relocate_action(step(screen(node("Pay", 20, checked="false")), Tap(at=at(20))), now) is None
    )


def row(name: str, top: int) -> str:
    return node("", top, node("", top, **{"class": "Switch"}) + node(name, top, clickable="false"))


def test_of_several_alike_the_one_in_the_same_row_is_meant() -> None:
    then = screen(row("Wi-Fi", 20), row("Bluetooth", 60))
    now = screen(row("Location", 20), row("Bluetooth", 60), row("Wi-Fi", 100))
    action = relocate_action(step(then, Tap(at=at(20))), now)
    assert isinstance(action, Tap)
    assert action.at.y == pytest.approx(at(100).y)


def test_text_is_typed_only_into_the_field_that_it_went_into() -> None:
    field = {"class": "android.widget.EditText", "focused": "true"}
    typing = step(screen(node("", 20, **field, hint="Name")), TypeText(text="Ada"))
    assert relocate_action(typing, screen(node("", 60, **field, hint="Name"))) == TypeText(
        text="Ada"
    )
    assert relocate_action(typing, screen(node("", 20, **field, hint="Street"))) is None
    assert relocate_action(typing, screen(node("Bob", 20, **field, hint="Name"))) is None


def test_without_trees_a_target_is_found_by_its_picture() -> None:
    pytest.importorskip("cv2")
    seen = screen(tree=False)
    button = Point(0.3, 0.36)  # a corner of the painted button
    action = relocate_action(step(seen, Tap(at=button)), seen)
    assert isinstance(action, Tap)
    assert action.at.x == pytest.approx(button.x, abs=0.02)
    assert action.at.y == pytest.approx(button.y, abs=0.02)
    blank = replace(seen, screenshot=Screenshot.stand_in(SIZE))
    assert relocate_action(step(seen, Tap(at=button)), blank) is None


def test_screens_are_alike_by_their_elements_and_the_same_by_their_words() -> None:
    one = screen(*(node(f"item {number}", 20 * number) for number in range(8)))
    other = screen(*(node(f"item {number}", 20 * number) for number in range(1, 9)))
    assert are_alike(one, other)
    assert not have_same_words(one, other)
    assert have_same_words(one, one)
    assert not are_alike(one, screen(node("Home", 20)))
    status = node("12:01", 0, package="com.android.systemui")
    assert have_same_words(one, screen(status, *(node(f"item {n}", 20 * n) for n in range(8))))
    assert relocate_action(step(one, PressKey(key="back")), other) == PressKey(key="back")
    swipe = Swipe(start=MIDDLE, end=Point(0.5, 0.1))
    assert relocate_action(step(one, swipe), screen(node("Home", 20))) is None


class Asked:
    """Decides as it is told, and counts how often it is asked."""

    name = "asked"

    def __init__(self, *actions: Action) -> None:
        self.actions = list(actions)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(self.actions.pop(0))


SHOP = screen(node("Tea", 20), node("2 €", 60, clickable="false"))
CART = screen(node("Pay", 20))
PAID = screen(node("Thank you", 20))
BUY = (step(SHOP, Tap(at=at(20))), step(CART, Tap(at=at(20))), step(PAID, Finish()))


def cache_of(tmp_path: Path, *steps: Step, instruction: str = "Buy tea") -> ReplayCache:
    store = EpisodeStore(tmp_path)
    store.write(Episode("done", "t", instruction, steps, outcome="success"))
    return ReplayCache(store)


def play(agent: ReplayAgent, *screens: Observation, instruction: str = "Buy tea") -> list[Action]:
    async def run() -> list[Action]:
        return [(await agent.act(instruction, (), seen)).action for seen in screens]

    return asyncio.run(run())


def test_a_success_is_done_again_without_asking(tmp_path: Path) -> None:
    agent = ReplayAgent(Asked(), cache_of(tmp_path, *BUY))
    actions = play(agent, SHOP, CART, PAID)
    assert [action.type for action in actions] == ["tap", "tap", "finish"]
    assert (agent.hits, agent.misses, agent.recalled) == (3, 0, "done")


def test_another_instruction_is_asked_about_from_the_start(tmp_path: Path) -> None:
    agent = ReplayAgent(Asked(Finish()), cache_of(tmp_path, *BUY))
    assert play(agent, SHOP, instruction="Buy green tea") == [Finish()]
    assert (agent.hits, agent.misses) == (0, 1)


def test_where_something_is_in_the_way_the_model_is_asked_and_the_way_joined_again(
    tmp_path: Path,
) -> None:
    close = Tap(at=MIDDLE)
    agent = ReplayAgent(Asked(close), cache_of(tmp_path, *BUY))
    offer = screen(node("An offer for you", 20), node("Close", 90))
    actions = play(agent, SHOP, offer, CART, PAID)
    assert actions[1] == close
    assert actions[-1] == Finish()
    assert (agent.hits, agent.misses) == (3, 1)


def test_after_a_detour_a_step_that_was_done_meanwhile_is_left_out(tmp_path: Path) -> None:
    agent = ReplayAgent(Asked(Tap(at=MIDDLE)), cache_of(tmp_path, *BUY))
    start = screen(node("Buy again", 90))
    actions = play(agent, start, CART, PAID)
    assert [action.type for action in actions] == ["tap", "tap", "finish"]
    assert (agent.hits, agent.misses) == (2, 1)


def test_what_was_read_off_a_screen_is_said_again_only_when_the_screens_say_the_same(
    tmp_path: Path,
) -> None:
    way = (step(SHOP, Answer(text="2 €")), step(SHOP, Finish()))
    cache = cache_of(tmp_path, *way, instruction="What does tea cost?")
    dearer = screen(node("Tea", 20), node("3 €", 60, clickable="false"))
    same = ReplayAgent(Asked(), cache)
    assert play(same, SHOP, instruction="What does tea cost?") == [Answer(text="2 €")]
    other = ReplayAgent(Asked(Answer(text="3 €")), cache)
    assert play(other, dearer, instruction="What does tea cost?") == [Answer(text="3 €")]


def test_a_failure_by_a_recalled_way_is_not_gone_again_and_the_recording_stays(
    tmp_path: Path,
) -> None:
    cache = cache_of(tmp_path, *BUY)
    cache.learn(Episode("e", "t", "Buy tea", BUY, outcome="failure"), "done")
    assert cache.find("Buy tea") is None
    again = ReplayCache(EpisodeStore(tmp_path))
    assert again.find("Buy tea") is None
    assert "done" in again.store


def test_a_success_is_learnt_when_it_is_new_or_shorter(tmp_path: Path) -> None:
    cache = cache_of(tmp_path, *BUY)
    cache.learn(Episode("same", "t", "Buy tea", BUY, outcome="success"), "done")
    assert "same" not in cache.store
    cache.learn(Episode("short", "t", "Buy  tea", BUY[1:], outcome="success"), "done")
    found = cache.find("Buy tea")
    assert found is not None
    assert found.id == "short"
    cache.learn(Episode("milk", "t", "Buy milk", BUY, outcome="success"))
    assert ReplayCache(cache.store).find("Buy milk") is not None
