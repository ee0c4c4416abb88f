"""Says what a release still lacks, all at once and one line each; ends with 1 while it lacks any.

Run: make release-check [TAG=v0.2.0], which builds the wheel first; or, with what lies in dist/,
python scripts/release_check.py [--tag v0.2.0]. It compares what the tree says of the version, the
project's home and the Pythons with each other and with the built wheel, and reads nothing else.
docs/concepts/versions.md has the steps of a release.
"""

import argparse
import json
import re
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path
from typing import Any

import yaml

from home import is_address
from try_installs import PYTHONS

ROOT = Path(__file__).parents[1]
_TARGETS = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
_FONT_LICENCE = "tapwright/drawing/fonts/NotoSansSC-LICENSE.txt"
_IMAGE_SOURCE = re.compile(r'(?m)^LABEL org\.opencontainers\.image\.source="?([^"\s]+)')


@dataclass(frozen=True, slots=True)
class Release:
    """A tree, and what its pyproject.toml says."""

    root: Path
    project: dict[str, Any]

    @property
    def version(self) -> str:
        """As `MAJOR.MINOR.PATCH`."""
        return str(self.project["version"])

    @property
    def source(self) -> str | None:
        """The repository's address (scripts/home.py)."""
        return dict(self.project.get("urls", {})).get("Source")

    @property
    def date(self) -> str | None:
        """The day that CHANGELOG.md gives the version."""
        found = re.search(
            rf"^## {re.escape(self.version)} - (\d{{4}}-\d\d-\d\d)$",
            self.read("CHANGELOG.md"),
            re.MULTILINE,
        )
        return found and found[1]

    def read(self, path: str) -> str:
        """A file of the tree."""
        return (self.root / path).read_text(encoding="utf-8")


def lacking(root: Path = ROOT, tag: str | None = None) -> list[str]:
    """What is missing for a release of the tree, or for this `tag` of it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    release = Release(root, project)
    return [
        *_home(release),
        *_version(release, tag),
        *copies(release),
        *_pythons(release),
        *pages(root),
        *_kept(release),
        *_built(release),
    ]


def _home(release: Release) -> Iterator[str]:
    if release.source is None:
        yield (
            "pyproject.toml: no Source in [project.urls], the repository's address: the package's "
            "page has neither links nor pictures, and no page says what to clone"
        )
    for name, address in release.project.get("urls", {}).items():
        if not is_address(address):
            yield f"pyproject.toml: {name} of [project.urls] is no address: {address}"
    if (release.source or "").endswith(("/", ".git")):
        yield "pyproject.toml: Source ends with / or .git, and links to files go on from its end"


def _version(release: Release, tag: str | None) -> Iterator[str]:
    version = release.version
    if tag is not None and tag != f"v{version}":
        yield f"the tag is {tag}; pyproject.toml has {version}, whose tag is v{version}"
    if release.date is None:
        yield f"CHANGELOG.md: no heading '## {version} - YYYY-MM-DD'"
    cited = yaml.safe_load(release.read("CITATION.cff")).get("date-released")
    if str(cited) != release.date:
        yield f"CITATION.cff: date-released is {cited}; CHANGELOG.md has {release.date}"
    parts = re.split(r"^## (.+)$", release.read("CHANGELOG.md"), flags=re.MULTILINE)[1:]
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        if heading == "Unreleased" and text.strip():
            entries = len(re.findall(r"^- ", text, re.MULTILINE))
            yield f"CHANGELOG.md: {entries} under Unreleased, and not under the version's heading"


def copies(release: Release) -> Iterator[str]:
    """Where a file that nothing fills in says otherwise than pyproject.toml."""
    citation = yaml.safe_load(release.read("CITATION.cff"))
    label = _IMAGE_SOURCE.search(release.read("Dockerfile"))
    for place, found, wanted in (
        ("CITATION.cff: version", citation.get("version"), release.version),
        ("CITATION.cff: repository-code", citation.get("repository-code"), release.source),
        ("Dockerfile: LABEL org.opencontainers.image.source", label and label[1], release.source),
    ):
        if found != wanted:
            yield f"{place} is {found}; pyproject.toml has {wanted}"


def _pythons(release: Release) -> Iterator[str]:
    stated = re.findall(r":: Python :: (\d\.\d+)", " ".join(release.project["classifiers"]))
    if stated != list(PYTHONS):
        yield (
            f"pyproject.toml: classifiers name Python {', '.join(stated)}; "
            f"locks and installs are for {', '.join(PYTHONS)}"
        )
    if release.project["requires-python"] != f">={PYTHONS[0]}":
        yield f"pyproject.toml: requires-python is not >={PYTHONS[0]}"


def pages(root: Path) -> Iterator[str]:
    """Where a page tells to clone no address, or to install what no index needs to have."""
    for page in (*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))):
        name = page.relative_to(root).as_posix()
        for paragraph in page.read_text(encoding="utf-8").split("\n\n"):
            for found in re.findall(r"git clone (?!https://)\S*", paragraph):
                yield f"{name}: {found}: no address"
            is_said = "index" in paragraph or "索引" in paragraph
            if re.search(r"pip install tapwright\b", paragraph) and not is_said:
                yield f"{name}: `pip install tapwright`, and not that an index must have it"


def _kept(release: Release) -> Iterator[str]:
    """What later versions are compared with."""
    minor = release.version.rpartition(".")[0]
    if not (release.root / f"tests/golden/release_{minor.replace('.', '_')}").is_dir():
        yield f"tests/golden: what {minor} stores: python -m tests.release.stored {minor}"
    runs = map(json.loads, release.read("bench/history.jsonl").splitlines())
    if not any(run["version"] == release.version for run in runs):
        yield f"bench/history.jsonl: no figures: make bench RELEASE={release.version}"


def _built(release: Release) -> Iterator[str]:
    stem = f"tapwright-{release.version}"
    wheel = f"{stem}-py3-none-any.whl"
    found = {path.name for path in release.root.glob("dist/*")}
    for name in sorted({wheel, f"{stem}.tar.gz"} - found):
        yield f"dist/{name}: not built: make wheel"
    for name in sorted(found - {wheel, f"{stem}.tar.gz"}):
        yield f"dist/{name}: not of this version"
    if wheel in found:
        yield from (f"dist/{wheel}: {fault}" for fault in _in_wheel(release, wheel))


def _in_wheel(release: Release, wheel: str) -> Iterator[str]:
    with zipfile.ZipFile(release.root / "dist" / wheel) as archive:
        names = set(archive.namelist())
        about = f"tapwright-{release.version}.dist-info"
        metadata = message_from_bytes(archive.read(f"{about}/METADATA"))
    if metadata["Version"] != release.version:
        yield f"is of version {metadata['Version']}"
    licences = [f"{about}/licenses/{name}" for name in release.project["license-files"]]
    for licence in (*licences, _FONT_LICENCE):
        if licence not in names:
            yield f"no {licence}"
    payload = metadata.get_payload(decode=True)
    assert isinstance(payload, bytes)
    page, readme = map(_TARGETS.findall, (payload.decode("utf-8"), release.read("README.md")))
    for _, target in page:
        if not re.match(r"https?://|#", target):
            yield f"its page links to {target}, which is not in it"
    shown, wanted = (sum(picture == "!" for picture, _ in one) for one in (page, readme))
    if release.source and shown != wanted:
        yield f"its page has {shown} pictures, README.md {wanted}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell what is missing; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag", help="the tag that is to become a release")
    found = lacking(tag=parser.parse_args(arguments).tag)
    for line in found:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"missing: {len(found)}\n" if found else "nothing is missing\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
