"""README is true in the tree and on PyPI."""

import re
import subprocess

import pytest

from tests.scripts import ROOT, load_build_hooks

README = (ROOT / "README.md").read_text("utf-8")
FENCED = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
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


def test_the_first_block_is_what_make_makes() -> None:
    language, first = FENCED.findall(README)[0]
    programs = [line.split() for line in first.splitlines()]
    assert language == "console"
    assert programs == [["$", "make", "demo"], ["$", "make", "test"]]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert {words[-1] for words in programs} <= targets


def test_the_wheels_commands_are_those_that_an_empty_debian_runs() -> None:
    script = (ROOT / "scripts/fresh_debian.sh").read_text("utf-8")
    (read,) = re.findall(r"sed -n '(.*)' README.md", script)
    lines = subprocess.run(
        ["sed", "-n", read, "README.md"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert lines == ["make wheel", "pip install dist/*.whl", "tapwright demo --open"]


@pytest.mark.parametrize("source", [None, "https://git.lab-of-phones.net/phones/tapwright"])
def test_who_is_not_in_the_tree_reads_how_to_get_it(source: str | None) -> None:
    text = load_build_hooks().readme_without_the_tree(README, source)
    (_, first), *_ = FENCED.findall(text)
    clone = f"$ git clone {source}\n$ cd tapwright\n" if source else ""
    assert first == f"{clone}$ make demo\n$ make test\n"


def test_a_figure_of_the_first_table_stands_among_the_figures() -> None:
    page = (ROOT / "docs/figures.md").read_text("utf-8")
    first, _, others = page.partition("## The built-in phone")
    cells = [row.split("|")[2] for row in first.splitlines() if row.startswith("| ")][1:]
    assert len(cells) >= 5
    for number in re.findall(r"\d+\.\d+|\d+ s quiet|\d+ ms", " ".join(cells)):
        assert number.removesuffix(" quiet") in others, number


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
