"""What notebooks show of episodes and screens."""

from dataclasses import replace
from xml.etree import ElementTree

from tapwright.core.actions import Drag, PressKey, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot
from tapwright.core.strip import MAX_CARDS
from tapwright.devices.fake import painted_scene

SIZE = Size(40, 80)
SCREEN = Observation(Screenshot(painted_scene(1, SIZE).picture), SIZE, app="shop")
TAP = Step(SCREEN, Decision(Tap(at=Point(0.5, 0.25)), reasoning="the <b>cart</b> & more"))


def parse(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def test_an_episode_shows_its_screens_with_what_was_done() -> None:
    drag = Drag(start=Point(0, 0), end=Point(1, 1), path=(Point(0.5, 0),))
    steps = (TAP, Step(SCREEN, Decision([drag, PressKey(key="enter")])))
    page = parse(Episode("a", "t", "Buy", steps, final=SCREEN, outcome="success")._repr_html_())
    text = "".join(page.itertext())
    assert "Buy: success, 2 steps" in text
    assert "the <b>cart</b> & more" in text  # as text
    assert len(page.findall(".//image")) == 3
    circle = page.find(".//circle")
    assert circle is not None
    assert (circle.get("cx"), circle.get("cy")) == ("20.0", "20.0")
    line = page.find(".//polyline")
    assert line is not None
    assert line.get("points") == "0.0,0.0 20.0,0.0 40.0,80.0"


def test_a_screen_shows_itself() -> None:
    page = parse(replace(SCREEN, stale=True)._repr_html_())
    assert "shop" in "".join(page.itertext())
    assert "stale" in "".join(page.itertext())


def test_a_broken_picture_is_told_in_its_place() -> None:
    broken = Observation(Screenshot(b"no picture", origin="<frame>"), SIZE)
    assert "<frame>: not a readable image" in "".join(parse(broken._repr_html_()).itertext())


def test_a_long_episode_says_how_many_screens_it_leaves_out() -> None:
    page = parse(Episode("a", "t", "Go", (TAP,) * (MAX_CARDS + 5))._repr_html_())
    assert len(page.findall(".//image")) == MAX_CARDS
    assert "and 5 more" in "".join(page.itertext())
