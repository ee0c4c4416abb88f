"""The documentation is run: every console command and every Python snippet, in order, per page."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
RUN_ELSEWHERE = ("make", "tapwright demo")
"""`make` is what runs these tests; the demo has a test of its own."""


def snippets(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if snippets(page)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_what_a_page_shows_runs(page: Path, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONWARNINGS": "error"}
    environment["TAPWRIGHT_ADB"] = os.devnull  # adb would leave a server running behind the tests
    for language, text in snippets(page):
        for command in commands(language, text):
            run = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert run.returncode == 0, f"{shlex.join(command)}\n{run.stdout}\n{run.stderr}"


def commands(language: str, text: str) -> list[list[str]]:
    match language:
        case "python":
            return [[sys.executable, "-c", text]]
        case "console":
            lines = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
            return [shlex.split(line) for line in lines if not line.startswith(RUN_ELSEWHERE)]
    raise AssertionError(f"a page has a block of {language!r}; expected python or console")


def test_every_link_between_pages_leads_somewhere() -> None:
    links = re.compile(r"\]\((?!https?://)([^)#]+)(?:#[^)]*)?\)")
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in PAGES
        for target in links.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert dead == []


def test_every_room_stands_in_the_plan_of_the_house() -> None:
    plan = (ROOT / "docs/concepts/architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src/tapwright"
    rooms = {path.stem for path in package.glob("*.py") if not path.stem.startswith("_")}
    rooms |= {path.parent.name for path in package.glob("*/__init__.py")}
    assert sorted(room for room in rooms if f"`{room}`" not in plan) == []
