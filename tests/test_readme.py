"""README is true in the tree and on PyPI."""

import re

import pytest

from tests.scripts import ROOT, load_build_hooks

README = (ROOT / "README.md").read_text("utf-8")
RELATIVE = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")


@pytest.mark.parametrize("source", [None, "https://example.org/lab/tapwright"])
def test_no_link_of_the_package_needs_the_tree(source: str | None) -> None:
    text = load_build_hooks().readme_without_the_tree(README, source)

    assert len(RELATIVE.findall(README)) > 30
    assert RELATIVE.findall(text) == []
    assert "tapwright demo --open" in text
    assert ("https://example.org/lab/tapwright/raw/HEAD/docs/images/phone.jpg" in text) == bool(
        source
    )


def test_a_figure_of_readme_stands_among_the_figures() -> None:
    figures = (ROOT / "docs/figures.md").read_text("utf-8")
    rows = README.partition("## Figures")[2].partition("## Where")[0].splitlines()
    cells = [row.split("|")[2] for row in rows if row.startswith("| ")][1:]
    assert len(cells) >= 5
    for number in re.findall(r"\d+\.\d+|\d+ s quiet|\d+ ms", " ".join(cells)):
        assert number.removesuffix(" quiet") in figures, number


def test_every_link_of_readme_leads_to_a_heading_that_is_there() -> None:
    dead = []
    for target in RELATIVE.findall(README):
        path, _, anchor = target.partition("#")
        if not (ROOT / path).exists():
            dead.append(target)
        elif anchor:
            headings = re.findall(r"^#+ (.+)$", (ROOT / path).read_text("utf-8"), re.MULTILINE)
            if anchor not in map(_anchor, headings):
                dead.append(target)
    assert dead == []


def _anchor(heading: str) -> str:
    """The name that GitHub and the site give a heading, of which they share the rule."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
