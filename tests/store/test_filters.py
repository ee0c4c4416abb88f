from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.core.episode import Episode, Step
from tapwright.errors import UsageError
from tapwright.store.catalog import Catalog
from tapwright.store.filters import parse_filter
from tapwright.store.selection import Selection
from tapwright.store.store import EpisodeStore
from tapwright.store.tags import write_tags
from tests.store.episodes import episode


def in_app(app: str, made: Episode) -> Episode:
    def moved(step: Step) -> Step:
        return replace(step, observation=replace(step.observation, app=app))

    return replace(made, steps=tuple(map(moved, made.steps)))


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    store = EpisodeStore(tmp_path)
    a = replace(episode(1, "a"), created="2026-01-31T10:00:00.000+00:00", agent="anna")
    b = replace(episode(2, "b"), created="2026-02-01T10:00:00.000+00:00", outcome="failure")
    c = replace(episode(3, "c"), created="2026-02-02T10:00:00.000+00:00", instruction="打开世界")
    store.write(in_app("org.example.notes", a))
    store.write(in_app("mail", b))
    store.write(c)
    write_tags(tmp_path / "b", add=["bad", "late"])
    return Catalog(store)


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        ("", "abc"),
        ("steps > 1", "bc"),
        ("1 < steps <= 2", "b"),
        ("3 == steps", "c"),
        ('outcome != "failure"', "ac"),
        ('outcome in ("failure", "unknown")', "b"),
        ('outcome not in ["failure"]', "ac"),
        ('app == "notes"', "a"),
        ('app == "org.example.notes" or app("mail")', "ab"),
        ('app != "notes"', "bc"),
        ('tag("bad")', "b"),
        ('not tag("bad") and steps >= 2', "c"),
        ('tag in ("late", "early")', "b"),
        ('"late" in tag', "b"),
        ('"buttons" in instruction', "ab"),
        ('text("BUTTONS")', "ab"),
        ('language == "zh"', "c"),
        ('created < "2026-02"', "a"),
        ('created <= "2026-02-01"', "ab"),
        ('created == "2026-02"', "bc"),
        ('created > "2026-02-01 09:00"', "bc"),
        ('agent == "anna" and (steps == 1 or steps == 2)', "a"),
        ("steps > version", "bc"),
        ("steps > -1", "abc"),
        ('outcome == "\'; DROP TABLE episodes; --"', ""),
    ],
)
def test_a_filter_selects(where: str, ids: str, catalog: Catalog) -> None:
    assert "".join(catalog.ids(Selection(where))) == ids


@pytest.mark.parametrize(
    ("where", "says", "suggests"),
    [
        ("step > 3", "character 1: no column 'step'", "steps"),
        ('steps > 3 and aps == "x"', "character 15: no column 'aps'", "app"),
        ("steps > 'three'", "character 9: steps is a number", "steps > 3"),
        ("outcome == 3", "outcome is text", "outcome"),
        ("steps", "compared with nothing", "steps"),
        ("steps >", "character", ""),
        ("tags('x')", "no function tags", "tag"),
        ("tag(3)", "tag takes one text", "tag"),
        ("__import__('os')", "no function __import__", ""),
        ("id.__class__ == 'x'", "expected a column", ""),
        ("created > 'yesterday'", "no date", "2026"),
        ('app < "notes"', "has no order", "=="),
        ("steps > 99999999999999999999", "64 bits", ""),
        ("steps is 3", "`is`", "=="),
        ("(" * 900 + "steps" + ")" * 900, "character", ""),
        ("steps > 1 and " * 300 + "steps > 1", "characters", ""),
        ("not " * 900 + "steps > 1", "parts", ""),
        ("世界 == 'x' and nam == 'y'", "character 1", ""),
    ],
)
def test_a_filter_that_cannot_be_understood_says_where(
    where: str, says: str, suggests: str
) -> None:
    with pytest.raises(UsageError) as raised:
        parse_filter(where)
    assert says in str(raised.value)
    assert suggests in raised.value.hint


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error(text: str) -> None:
    try:
        found = parse_filter(text)
    except UsageError:
        return
    assert found.sql.count("?") == len(found.parameters)


def test_a_selection_orders_limits_and_samples(catalog: Catalog) -> None:
    assert catalog.ids(Selection(sort="-steps")) == ["c", "b", "a"]
    assert catalog.ids(Selection(sort="outcome", limit=2)) == ["b", "a"]
    sampled = catalog.ids(Selection(sample=2, seed=7))
    assert sampled == catalog.ids(Selection(sample=2, seed=7))
    assert len(sampled) == 2
    assert sampled == sorted(sampled)
    with pytest.raises(UsageError, match="no column"):
        catalog.ids(Selection(sort="length"))
