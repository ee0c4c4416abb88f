"""What fills the sites: determined by the seed, the same in both languages but for words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tapwright.sites import sites
from tapwright.sites.site import read_words

NAMES = sites.names()


def shape(value: Any) -> Any:
    """A content without its words: what a seed alone decides."""
    match value:
        case dict():
            return {name: shape(one) for name, one in value.items()}
        case list() | tuple():
            return [shape(one) for one in value]
        case _:
            return type(value).__name__


def texts(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for one in value.values():
                yield from texts(one)
        case list() | tuple():
            for one in value:
                yield from texts(one)
        case str():
            yield value


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**31))
def test_a_seed_gives_the_same_content_each_time(name: str, seed: int) -> None:
    make = sites.get(name).content
    assert make(seed, "en") == make(seed, "en")
    assert make(seed, "en") != make(seed + 1, "en")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**31))
def test_the_languages_differ_in_words_alone(name: str, seed: int) -> None:
    make = sites.get(name).content
    assert shape(make(seed, "en")) == shape(make(seed, "zh"))


@pytest.mark.parametrize("name", NAMES)
def test_chinese_content_has_no_english_sentence(name: str) -> None:
    chinese = [one for one in texts(read_words(name, "zh")) if any(c > "\u4e00" for c in one)]
    english = [one for one in texts(read_words(name, "en")) if any(c > "\u4e00" for c in one)]
    assert chinese
    assert english == []


@pytest.mark.parametrize("name", NAMES)
def test_content_is_json(name: str) -> None:
    content = sites.get(name).content(0, "zh")
    assert json.loads(json.dumps(content)) == json.loads(json.dumps(content, sort_keys=True))


@pytest.mark.parametrize("name", NAMES)
def test_every_site_has_its_program_and_a_lock_whose_packages_have_hashes(name: str) -> None:
    from tapwright.sites.install import read_requirements

    site = sites.get(name)
    assert site.program.is_file()
    requirements = read_requirements(site.lock)
    assert any(line.startswith("setuptools==") for line in requirements[:3])
    assert all("--hash=sha256:" in one for one in requirements)
