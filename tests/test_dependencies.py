"""docs/dependencies.md says what is true of pyproject.toml, licences, codecs and the font."""

import hashlib
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tapwright.drawing.text import bundled_font_folders
from tests.scripts import ROOT, load_build_hooks, load_script

PAGE = (ROOT / "docs/dependencies.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SECTIONS = ("Core", "Extras", "Development")
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# What a package's classifier or short text stands for, where it has no expression.
MEANT = {
    "MIT License": ("MIT",),
    "BSD License": ("BSD-2-Clause", "BSD-3-Clause"),
    "3-Clause BSD License": ("BSD-3-Clause",),
    "BSD-3-Clause": ("BSD-3-Clause",),
    "Apache Software License": ("Apache-2.0",),
    "Apache 2.0 License": ("Apache-2.0",),
    "Apache 2.0": ("Apache-2.0",),
    "Apache-2.0": ("Apache-2.0",),
    "GNU Lesser General Public License v2 or later (LGPLv2+)": ("LGPL-2.1-or-later",),
    "SIL Open Font License 1.1 (OFL-1.1)": ("OFL-1.1",),
}


def table(section: str) -> dict[str, list[str]]:
    """Package -> the other cells of its row."""
    text = PAGE.split(f"\n## {section}\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| `")
    ]
    return {row[0].strip("`"): row[1:] for row in rows}


def names(requirements: list[str]) -> set[str]:
    return {name for one in requirements if (name := Requirement(one).name) != "tapwright"}


def test_every_dependency_has_its_row_and_every_row_a_dependency() -> None:
    assert set(table("Core")) == names(PROJECT["dependencies"])
    rows = table("Extras")
    of = {name: {extra for extra in EXTRAS if name in names(EXTRAS[extra])} for name in rows}
    assert set(rows) == set().union(*(names(EXTRAS[one]) for one in EXTRAS if one != "dev"))
    assert {name: set(row[0].split(", ")) for name, row in rows.items()} == of
    assert set(table("Development")) == names(EXTRAS["dev"])
    assert all(all(row) for section in SECTIONS for row in table(section).values())


@pytest.mark.parametrize(
    ("name", "licence"),
    [
        (name, row[2 if section == "Extras" else 1])
        for section in SECTIONS
        for name, row in table(section).items()
    ],
)
def test_a_licence_is_the_one_that_the_package_states(name: str, licence: str) -> None:
    try:
        found = metadata(name)
    except PackageNotFoundError:
        pytest.skip("is not installed here")
    if expression := "".join(found.get_all("License-Expression") or ()):
        assert licence == expression
    else:
        stated = [one.rpartition(" :: ")[2] for one in found.get_all("Classifier") or ()]
        stated += "".join(found.get_all("License") or ()).splitlines()[:1]
        meant = [MEANT[one] for one in stated if one in MEANT]
        assert meant
        assert all(licence in one for one in meant)


def test_the_core_has_no_code_under_the_gpl_and_no_codec() -> None:
    locked = {one.name for one in load_script("write_locks").read_lock("core")}
    assert not locked & {"av", "imageio-ffmpeg", "opencv-python", "opencv-python-headless"}
    for name in locked:
        try:
            found = metadata(name)
        except PackageNotFoundError:
            continue
        stated = [
            text
            for field in ("License-Expression", "Classifier")
            for text in found.get_all(field) or ()
        ]
        assert not [one for one in stated if "GPL" in one or "General Public" in one], name


def test_the_font_is_the_foundrys() -> None:
    ((path, _, blob, digest),) = re.findall(
        r"\| `(\S+\.otf)` \| ([0-9a-f]{40}) \| ([0-9a-f]{40}) \| ([0-9a-f]{64}) \|", PAGE
    )
    (folder,) = bundled_font_folders()
    font, licence = load_build_hooks().font_files()  # what is packed into the wheel
    assert Path(font) == folder / Path(path).name
    data = Path(font).read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest
    header = f"blob {len(data)}\0".encode()
    assert hashlib.sha1(header + data, usedforsecurity=False).hexdigest() == blob
    assert "SIL OPEN FONT LICENSE" in Path(licence).read_text("utf-8")


def test_every_lock_has_its_row() -> None:
    text = PAGE.split("\n## Locks\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"`([\w/-]+\.txt)`", text.split("| file |")[1].split("\n\n")[0]))
    locks = ROOT / "locks"
    assert listed == {path.relative_to(locks).as_posix() for path in locks.rglob("*.txt")}
