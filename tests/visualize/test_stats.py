"""Numbers of a store, and the page with them."""

import base64
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tapwright.core.actions import Finish, LongPress, Tap
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.devices.fake import FakeDevice
from tapwright.store.annotations import Annotation, replace_annotations
from tapwright.store.catalog import Catalog
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.visualize.stats import FacetCount, collect_stats
from tapwright.visualize.stats_page import draw_heatmap, write_stats_page
from tests.strategies import POINTS

WRITER = "openai/gpt 4o"
"""Is no name of a file."""


def made(root: Path, *, app: str = "org.example.shop") -> EpisodeStore:
    seen = replace(FakeDevice().observe(), app=app)
    tap = Step(seen, Decision(Tap(at=Point(0.25, 0.75))))
    held = Step(seen, Decision(LongPress(at=Point(0.25, 0.75))))
    end = Step(seen, Decision(Finish()))
    store = EpisodeStore(root)
    store.write(Episode("a", "buy", "Buy", (tap, held, end), seen, "success", "hand"))
    store.write(Episode("b", "buy", "Buy", (tap,), seen, "failure", "hand"))
    about = Annotation(
        step=0, frame="", reasoning="", target="", annotator=WRITER, version="1", time=""
    )
    replace_annotations(root / "b", WRITER, [about])
    (root / "a" / "annotations").mkdir()
    (root / "a" / "annotations" / "rules.jsonl").write_text("")
    return store


def test_everything_is_counted_by_episodes_and_steps(tmp_path: Path) -> None:
    stats = collect_stats(made(tmp_path))
    assert (stats.episodes, stats.steps, stats.shortest, stats.median, stats.longest) == (
        2, 4, 1, 2, 3,
    )  # fmt: skip
    assert stats.of("app") == [FacetCount("app", "org.example.shop", 2, 4)]
    assert stats.of("task") == [FacetCount("task", "buy", 2, 4)]
    assert stats.of("annotator") == [FacetCount("annotator", WRITER, 1, 1)]
    assert stats.of("evidence") == [FacetCount("evidence", "", 2, 4)]
    for facet in ("annotator", "evidence"):  # a filter has the same words
        where = f'{facet} == "{stats.of(facet)[0].name}"'
        found = Catalog(made(tmp_path / facet)).ids(Selection(where))
        assert len(found) == stats.of(facet)[0].episodes
    assert stats.of("length") == [
        FacetCount("length", "1 to 2", 1, 1),
        FacetCount("length", "3 to 5", 1, 3),
    ]
    assert stats.of("outcome") == [
        FacetCount("outcome", "success", 1, 3), FacetCount("outcome", "failure", 1, 1),
    ]  # fmt: skip
    assert {(one.name, one.steps) for one in stats.of("action")} == {
        ("tap", 2), ("long_press", 1), ("finish", 1),
    }  # fmt: skip
    (taps,) = stats.taps
    assert (taps.app, taps.shape, list(taps.places)) == (
        "org.example.shop", "tall", [Point(0.25, 0.75)] * 3,
    )  # fmt: skip


def test_an_empty_store_has_nothing_of_anything(tmp_path: Path) -> None:
    stats = collect_stats(EpisodeStore(tmp_path))
    assert (stats.episodes, stats.steps, stats.counts, stats.taps) == (0, 0, (), ())
    write_stats_page(stats, tmp_path / "page.html", title="None")
    assert "Nothing was tapped." in (tmp_path / "page.html").read_text()


def test_one_that_cannot_be_read_is_told_and_not_counted(tmp_path: Path) -> None:
    store = made(tmp_path)
    (tmp_path / "a" / "steps.jsonl").write_text("{}\n")
    (tmp_path / "b" / "episode.json").write_text("{}")
    stats = collect_stats(store)
    assert (stats.episodes, sorted(stats.unreadable)) == (0, ["a", "b"])


def test_the_page_is_one_file_in_which_no_name_is_html(tmp_path: Path) -> None:
    app = "<script>alert(1)</script>\ud83d"
    write_stats_page(
        collect_stats(made(tmp_path / "store", app=app)), tmp_path / "page.html", title="<b>x"
    )
    page = (tmp_path / "page.html").read_text()
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    sources = re.findall(r'(?:src|href)="([^"]{0,30})', page)
    assert sources
    assert all(source.startswith("data:image/jpeg;base64,") for source in sources)


@given(places=st.lists(POINTS, min_size=1, max_size=3))
def test_the_screen_is_warm_where_it_was_tapped(places: list[Point]) -> None:
    drawn = np.asarray(draw_heatmap(Image.new("RGB", (60, 90), "white"), places), dtype=int)
    warmth = drawn[..., 0] - drawn[..., 2]
    for place in places:
        assert warmth[min(int(place.y * 90), 89), min(int(place.x * 60), 59)] > 30


def test_far_from_every_tap_the_screen_is_as_it_is(tmp_path: Path) -> None:
    drawn = np.asarray(draw_heatmap(Image.new("RGB", (60, 90), "white"), [Point(0.1, 0.1)]))
    assert (drawn[60:] == 255).all()


def test_the_map_of_an_app_is_drawn_on_its_own_screen(tmp_path: Path) -> None:
    write_stats_page(collect_stats(made(tmp_path / "store")), tmp_path / "page.html", title="x")
    (found,) = re.findall(r"base64,([^\"]+)", (tmp_path / "page.html").read_text())
    with Image.open(io.BytesIO(base64.b64decode(found))) as image:
        assert image.size == (240, 533)
