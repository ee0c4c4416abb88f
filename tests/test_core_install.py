"""What tapwright without extras can do, and what it says of the rest."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, files, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tapwright.core.episode import Episode
from tapwright.store.store import EpisodeStore
from tests.scripts import load_build_hooks, load_script

ROOT = Path(__file__).parents[1]
LOCKED = {
    canonicalize_name(name)
    for name in re.findall(r"(?m)^([\w.-]+)==", (ROOT / "locks/core.txt").read_text())
}
WITHOUT = """
import sys
for name in {blocked!r}:
    sys.modules[name] = None  # as if it were not installed
from tapwright.cli.main import main
main()
"""


def run_core(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command where only the packages of the core can be imported."""
    blocked = sorted(
        module
        for module, owners in packages_distributions().items()
        if not {canonicalize_name(owner) for owner in owners} & (LOCKED | {"tapwright"})
    )
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(blocked=blocked), *words],
        cwd=cwd,
        env={**os.environ, "PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def home(tmp_path: Path, episodes: list[Episode]) -> Path:
    store = EpisodeStore(tmp_path / "store")
    for one in episodes:
        store.write(replace(one, outcome="success"))
    return tmp_path


@pytest.mark.slow
def test_the_core_lists_checks_annotates_exports_makes_benchmarks_and_reports(home: Path) -> None:
    for words in (
        "doctor",
        "episodes ls store --where 'steps > 0'",
        "episodes check store",
        f"episodes import {ROOT / 'tests/golden/mobiagent/data'} -o imported",
        "episodes stats store",
        "episodes card store -o README.md",
        "annotate run store",
        "sft export store --to llamafactory --convention json --annotator rules -o set",
        "eval make store -o own",
        "eval run l2 --data own -m tree -o runs/tree",
        "report runs/tree -o report.html",
        "tasks ls",
        "serve --help",
    ):
        run = run_core(*shlex.split(words), cwd=home)
        assert run.returncode in ((0, 1) if words == "doctor" else (0,)), (words, run.stderr)
        assert "Traceback" not in run.stderr
    assert (home / "report.html").stat().st_size > 10_000


def test_the_core_is_at_most_160_mb() -> None:
    installed = [one for name in LOCKED for one in _files_of(name)]
    ours = [one for one in (ROOT / "src").rglob("*") if one.is_file()]
    font = max(map(Path, load_build_hooks().font_files()), key=lambda one: one.stat().st_size)
    kept = [one for one in (*installed, *ours, font) if one.suffix != ".pyc" and one.exists()]
    assert sum(one.stat().st_size for one in kept) <= 160_000_000


def _files_of(name: str) -> list[Path]:
    try:
        return [Path(str(one.locate())) for one in files(name) or ()]
    except PackageNotFoundError:  # of another Python
        return []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "extra"),
    [
        ("episodes pack store -o packed", "parquet"),
        ("sft export store --to trl --convention json --annotator rules -o set", "parquet"),
        ("team add ann", "team"),
        ("serve --team sqlite:///team.db", "team"),
        ("episodes video store a -o a.mp4", "video"),
    ],
)
def test_what_needs_an_extra_names_it_and_leaves_nothing(
    words: str, extra: str, home: Path
) -> None:
    before = sorted(home.iterdir())
    run = run_core(*shlex.split(words), cwd=home)
    assert run.returncode == 2, run.stderr
    assert "[TW102]" in run.stderr
    # pip is hidden, too, so that the line is uv's.
    assert f"uv pip install --python {sys.executable} 'tapwright[{extra}]'" in run.stderr
    assert sorted(home.iterdir()) == before


def test_every_extra_is_one_that_a_user_can_install() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    for extra, wanted in extras.items():
        for requirement in map(Requirement, wanted):
            if requirement.name == "tapwright":
                assert requirement.extras <= extras.keys() - {extra}
            else:
                assert requirement.name not in {
                    Requirement(one).name for one in project["dependencies"]
                }, f"{extra} asks for {requirement.name}, which the core has"


def test_every_extra_is_tried_in_an_empty_environment() -> None:
    trials = load_script("try_installs")
    assert set(trials._IMPORTS) == {"core", *trials.extras()}
    assert trials.PYTHONS == load_script("write_locks").PYTHONS
