"""The documentation is run: every console command and every Python snippet, in order, per page.

Not run are `make`, which runs these tests, and `tapwright demo`, which has tests of its own.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from pathlib import Path

import pytest

from tapwright.conventions import conventions
from tapwright.formats import formats
from tapwright.formats.exporters.training_set import SftFormat
from tests.cli.running import own_modules, tapwright
from tests.faces.environments import face_python, with_sources

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(DOCS.rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def snippets(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


ENGLISH = {
    "guides/web.md": "web.md",
    "guides/desktop.md": "desktop.md",
    "guides/templates.md": "tasks.md",
    "guides/record.md": "record.md",
    "guides/review.md": "review.md",
    "guides/watch.md": "watch.md",
}
"""Chinese pages whose English one has another name; it has their snippets, which run there."""
LONG = frozenset(
    {
        "docs/agents.md",
        "docs/benchmarks.md",
        "docs/guides/annotate-budget.md",
        "docs/guides/checks.md",
        "docs/guides/from-mmbench-gui.md",
        "docs/gymnasium.md",
        "docs/learn-from-play.md",
        "docs/miniwob.md",
        "docs/concepts/phone.md",
        "README.md",
        "docs/guides/ray.md",
        "docs/start/agent.md",
        "docs/start/demo.md",
        "docs/start/measure.md",
        "docs/start/training-data.md",
        "docs/trl.md",
        "docs/tutorial.md",
    }
)
"""The pages whose commands take some seconds together."""
APART = {
    "docs/art.md": "openenv",
    "docs/mcp.md": "mcp",
    "docs/nemo-gym.md": "openenv",
    "docs/openenv.md": "openenv",
    "docs/rl.md": "openenv",
    "docs/skyrl.md": "openenv",
    "docs/verl.md": "openenv",
    "docs/verifiers.md": "verifiers",
}
"""Pages whose snippets need packages that share no environment with the others, and that one."""


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] if str(page.relative_to(ROOT)) in LONG else [])
        for page in PAGES
        if snippets(page)
        and DOCS / "zh" not in page.parents
        and str(page.relative_to(ROOT)) not in APART
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_what_a_page_shows_runs(page: Path, tmp_path: Path) -> None:
    for language, text in snippets(page):
        match language:
            case "python":
                with own_modules(tmp_path), chdir(tmp_path), redirect_stdout(io.StringIO()):
                    sys.path.insert(0, str(tmp_path))  # as for a script that lies there
                    exec(compile(text, page, "exec"), {"__name__": "__main__"})
            case "console":
                for words in commands(text):
                    # adb would leave a server running behind the tests.
                    run = tapwright(*words, cwd=tmp_path, TAPWRIGHT_ADB=os.devnull)
                    assert run.returncode == 0, f"{shlex.join(words)}\n{run.stdout}\n{run.stderr}"
            case _:
                pytest.fail(f"a page has a block of {language!r}; expected python or console")


@pytest.mark.slow
@pytest.mark.parametrize("page", APART)
def test_what_a_page_of_others_packages_shows_runs(page: str, tmp_path: Path) -> None:
    python = face_python(APART[page])
    for language, text in snippets(ROOT / page):
        assert language == "python"
        run = subprocess.run(
            [python, "-c", text],
            cwd=tmp_path,
            env=with_sources(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stderr


def commands(text: str) -> list[list[str]]:
    """The words after `tapwright` of each command that a block shows."""
    lines = [shlex.split(line[2:]) for line in text.splitlines() if line.startswith("$ ")]
    assert {line[0] for line in lines} <= {"tapwright", "make"}
    return [words for program, *words in lines if program != "make" and words[0] != "demo"]


def test_every_link_between_pages_leads_somewhere() -> None:
    links = re.compile(r"\]\((?!https?://)([^)#]+)(?:#[^)]*)?\)")
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in links.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_convention_that_a_page_names_for_a_command_is_one(page: Path) -> None:
    words = re.compile(r"--convention ([a-z][\w.-]*)(?![\w.:-])")  # no NAME, no MODULE:ATTRIBUTE
    named = set(words.findall(page.read_text(encoding="utf-8")))
    assert named - set(conventions.names()) == set()


def test_every_package_stands_in_the_architecture() -> None:
    plan = (ROOT / "docs/concepts/architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src/tapwright"
    names = {path.stem for path in package.glob("*.py") if not path.stem.startswith("_")}
    names |= {path.parent.name for path in package.glob("*/__init__.py")}
    assert sorted(name for name in names if f"`{name}`" not in plan) == []


def test_the_first_page_counts_the_conventions_and_trainers_formats() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    own = [name for name in conventions.names() if ":" not in name]  # but for those of examples
    assert f"in {len(own)} [conventions]" in text
    sets = [one for name in formats.names() if isinstance(one := formats.get(name), SftFormat)]
    assert f"[sets](docs/sft.md) in {len(sets)} formats" in text
