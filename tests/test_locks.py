"""locks/ and pyproject.toml agree, and make, CI and Docker install what is in locks/."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.scripts import ROOT, load_script

writer = load_script("write_locks")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
LOCKS = sorted((ROOT / "locks").glob("*.txt"))
APART = sorted((ROOT / "locks/suites").glob("*.txt"))


def pinned(*names: str) -> dict[str, str]:
    """Package -> version, of the named locks together."""
    return {one.name: one.version for name in names for one in writer.read_lock(name)}


def asked(extra: str) -> list[Requirement]:
    """What an extra asks for, with what the extras that it names ask for."""
    found = []
    for one in map(Requirement, EXTRAS[extra]):
        if one.name == "tapwright":
            found += [each for name in one.extras for each in asked(name)]
        else:
            found.append(one)
    return found


def test_every_dependency_is_locked_within_its_range() -> None:
    core = [Requirement(one) for one in PROJECT["project"]["dependencies"]]
    build = [Requirement(one) for one in PROJECT["build-system"]["requires"]]
    wanted = [
        (core, pinned("core")),
        (build, pinned("core", "build")),
        (asked("browser"), pinned("core", "browser")),
        (asked("postgres"), pinned("core", "postgres")),
        (asked("dev"), pinned("core", "dev", "torch")),
    ]
    for requirements, versions in wanted:
        for one in requirements:
            assert versions.get(canonicalize_name(one.name), "0") in one.specifier, (
                f"{one}: make locks"
            )


def test_a_package_has_one_version_in_all_locks() -> None:
    names = [lock.stem for lock in LOCKS if lock.stem not in ("proto", "torch-cpu")]
    every = {(one.name, one.version) for name in names for one in writer.read_lock(name)}
    assert len(every) == len({name for name, _ in every})
    cpu, torch = pinned("torch-cpu")["torch"], pinned("torch")["torch"]
    assert cpu == f"{torch}+cpu"


def test_what_a_locked_package_requires_is_locked() -> None:
    versions = pinned("core", "build", "dev", "torch")
    for name in versions:
        try:
            requirements = distribution(name).requires or ()
        except PackageNotFoundError:
            continue  # of another machine
        for one in map(Requirement, requirements):
            if one.marker is None or one.marker.evaluate({"extra": ""}):
                assert canonicalize_name(one.name) in versions, f"{name} requires {one}"


@pytest.mark.parametrize("lock", [*LOCKS, *APART], ids=lambda path: path.stem)
def test_a_lock_has_hashes_and_no_address(lock: Path) -> None:
    text = lock.read_text("utf-8")
    assert "://" not in text
    assert not re.search(r"\b[\w-]+(\.[\w-]+)*\.(org|com|io|net|dev)\b", text)
    assert not [line for line in text.splitlines() if line.startswith("-")]
    for one in writer.read_lock(lock.stem, lock.parent):
        assert one.hashes
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in one.hashes)


def test_what_is_written_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "LOCKS", tmp_path)
    packages = [
        writer.Locked("a-b", "1.0+cpu", "", ("0" * 64, "f" * 64)),
        writer.Locked("c", "2", 'sys_platform == "linux"', ("a" * 64,)),
    ]
    writer._write(writer.CORE, packages)
    assert writer.read_lock("core") == packages


def test_pip_installs_what_is_locked_and_tapwright_and_nothing_that_these_ask_for() -> None:
    scripts = (ROOT / "scripts").glob("*.sh")
    for path in (ROOT / "Makefile", ROOT / "Dockerfile", *scripts):
        text = path.read_text("utf-8").replace("\\\n", " ")
        for command in re.findall(r"pip (?:install|wheel)\b[^&|\n]*", text):
            assert "--no-deps" in command, f"{path.name}: {command}"
            assert " -r " not in command or "--require-hashes" in command, f"{path.name}: {command}"
            assert not re.search(r"==|-c |\[", command), f"{path.name}: {command}"


def test_every_action_is_pinned_to_a_commit_and_says_its_version() -> None:
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    used = re.findall(r"uses: (.*)", "".join(path.read_text("utf-8") for path in workflows))
    assert used
    for one in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one
