"""Each extra alone, and all at once, where only what pip would bring with it can be imported.

An empty virtual environment gets links to the packages that pyproject.toml and the metadata of the
installed packages ask for, and no other. `scripts/try_installs.py` does the same by installing.
"""

import os
import subprocess
import tomllib
import venv
from collections.abc import Iterable
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tapwright.core.registry import missing_extra
from tests.scripts import ROOT, load_script

trials = load_script("try_installs")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
SHARED = {name for name, owners in packages_distributions().items() if len(set(owners)) > 1}


def asked(extras: Iterable[str]) -> list[Requirement]:
    """What tapwright with these extras asks for, those that extras name included."""
    found = [Requirement(one) for extra in extras for one in EXTRAS[extra]]
    inner = [one for one in found if one.name == "tapwright"]
    others = asked(chain.from_iterable(one.extras for one in inner)) if inner else []
    return [one for one in found if one.name != "tapwright"] + others


def closure(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """The packages that pip would bring, of those that are installed here.

    Raises:
        PackageNotFoundError: one of them is not installed here.
    """
    found: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [one for one in requirements if one.marker is None or one.marker.evaluate()]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        for extra in ("", *one.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            found[name] = distribution(name)
            waiting += [
                inner
                for inner in map(Requirement, found[name].requires or ())
                if inner.marker is None or inner.marker.evaluate({"extra": extra})
            ]
    return found


def link(package: Distribution, site: Path) -> None:
    """Put a package's modules into a folder, whole folders of its own at once."""
    for file in package.files or ():
        if file.parts[0] in ("..", "__pycache__"):
            continue  # a command, or bytecode
        place = file if file.parts[0] in SHARED else Path(file.parts[0])
        target = site / place
        if not target.is_symlink():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(Path(str(package.locate_file(place))).absolute())


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["core", *trials.extras(), "all"])
def test_an_extra_brings_all_that_it_is_for(extra: str, tmp_path: Path) -> None:
    chosen = {"core": [], "all": trials.extras()}.get(extra, [extra])
    packages: dict[str, Distribution] = {}
    modules = list(trials._IMPORTS["core"])
    for one in ([], *([name] for name in chosen)):
        try:
            wanted = closure([*map(Requirement, PROJECT["dependencies"]), *asked(one)])
        except PackageNotFoundError as error:
            if extra == "all":
                continue  # this extra is not installed here
            pytest.skip(f"{error.name} is not installed here")
        packages |= wanted
        modules += [module for name in one for module in trials._IMPORTS[name]]
    venv.create(tmp_path / "empty", symlinks=True)
    (site,) = (tmp_path / "empty").glob("lib/*/site-packages")
    for package in packages.values():
        link(package, site)
    for ours in (ROOT / "src").iterdir():
        (site / ours.name).symlink_to(ours)
    lines = [*(f"import {module}" for module in modules), "from tapwright.cli.main import main"]
    run = subprocess.run(
        [tmp_path / "empty/bin/python", "-c", "\n".join([*lines, "main()"]), "conventions", "ls"],
        cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert "qwen" in run.stdout


def test_a_package_that_is_not_asked_for_is_not_there() -> None:
    core = closure(map(Requirement, PROJECT["dependencies"]))
    assert {"numpy", "anyio"} <= core.keys()
    assert not {"pytest", "pyarrow", "playwright", "torch"} & core.keys()
    assert "sqlalchemy" in closure(asked(["postgres"]))


@pytest.mark.parametrize("module", ["Xlib.XK", "dbus_fast"])
def test_a_module_that_is_missing_names_the_extra_which_brings_it(module: str) -> None:
    error = ModuleNotFoundError(name=module)
    assert "tapwright[desktop]" in str(getattr(missing_extra("it", error), "hint", ""))
