"""Compares what all locks pin, those of suites and sites too, with known advisories, offline.

Run: python scripts/audit.py; it ends with 1 where an advisory applies that is not
accepted, with 2 where it cannot tell.
`--update FILE` first merges advisories that somebody downloaded, in the Open Source Vulnerability
format (https://ossf.github.io/osv-schema/): a zip or a directory of records, or a single one, in
JSON or YAML. OSV's dump for PyPI is such a zip, a checkout of pypa/advisory-database such a
directory. Kept are those about locked packages, in scripts/advisories.json.
"""

import argparse
import json
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from write_locks import LOCKS, ROOT, SITE_LOCKS, SUITE_LOCKS, Locked, read_lock

ADVISORIES = Path(__file__).parent / "advisories.json"
_ENDINGS = (".json", ".yaml", ".yml")
_MAX_RECORD = 4_000_000  # bytes; the longest of OSV's have some hundred thousand
# What OSWorld itself asks for in no mended version, and only slow tests install: the lock and the
# CVE -> why it may stay. docs/dependencies.md says so, too.
ACCEPTED = {
    ("locks/suites/osworld.txt", "CVE-2023-36464"): "slow tests read no PDF but their own",
    ("locks/suites/osworld.txt", "CVE-2024-34062"): "nothing runs the command line of tqdm",
}


class AuditError(Exception):
    """The audit cannot be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An advisory that applies to a locked package; `lock` is the file, from the root on."""

    lock: str
    package: Locked
    advisory: dict[str, Any]

    @property
    def accepted(self) -> str:
        """Why it may stay, from `ACCEPTED`; "" where it may not."""
        return next((why for id_ in self._ids() if (why := ACCEPTED.get((self.lock, id_)))), "")

    def line(self) -> str:
        """As it is printed: package, where it is locked, id and other ids, what it is, way out."""
        ids = " ".join(self._ids())
        fixed = ", ".join(sorted(_fixed(self.advisory, self.package.name), key=Version))
        about = self.advisory.get("summary") or "see its page"
        return (
            f"{self.package.name} {self.package.version} ({self.lock}): {ids}: {about}; "
            + (f"fixed in {fixed}" if fixed else "no version is known to mend it")
            + (f"; accepted: {self.accepted}" if self.accepted else "")
        )

    def _ids(self) -> list[str]:
        return [self.advisory["id"], *self.advisory.get("aliases", ())]


def read_advisories(path: Path = ADVISORIES) -> dict[str, Any]:
    """The file of advisories: `modified` of the newest, and the records, `vulns`.

    Raises:
        AuditError: it is not there, or not such a file.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        for record in found["vulns"]:
            list(_about(record))
            record["id"], record["modified"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise AuditError(f"{path}: no file of advisories: {error!r}") from error
    return dict(found)


def find(advisories: Sequence[dict[str, Any]]) -> list[Finding]:
    """The advisories that apply to what is locked, in the order of locks and packages.

    Raises:
        AuditError: an advisory names a version that is none.
    """
    return [
        Finding(lock, package, advisory)
        for lock, package in _read_locks()
        for advisory in advisories
        if is_affected(advisory, package.name, package.version)
    ]


def _read_locks() -> Iterator[tuple[str, Locked]]:
    """All that is locked, with the file that locks it."""
    for folder in (LOCKS, SUITE_LOCKS, SITE_LOCKS):
        for lock in sorted(folder.glob("*.txt")):
            for package in read_lock(lock.stem, folder):
                yield lock.relative_to(ROOT).as_posix(), package


def is_affected(advisory: dict[str, Any], name: str, version: str) -> bool:
    """Whether a version of a PyPI package is among those that an advisory names.

    By the schema's rules: it is listed in `versions`, or lies in a range of the type ECOSYSTEM.
    A local version counts as the public one: 2.13.0+cpu is 2.13.0.
    """
    here = Version(Version(version).public)
    try:
        return any(
            any(_same(here, one) for one in affected.get("versions") or ())
            or any(_in_range(here, one["events"]) for one in _ranges(affected))
            for affected in _about(advisory, name)
        )
    except InvalidVersion as error:
        raise AuditError(f"{advisory['id']}: {error}") from error


def _about(advisory: dict[str, Any], name: str | None = None) -> Iterator[dict[str, Any]]:
    if "withdrawn" in advisory:
        return
    for affected in advisory.get("affected") or ():
        package = affected.get("package", {})
        if package.get("ecosystem") == "PyPI" and name in (
            None, canonicalize_name(package["name"]),
        ):  # fmt: skip
            yield affected


def _ranges(affected: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (one for one in affected.get("ranges") or () if one["type"] == "ECOSYSTEM")


def _same(here: Version, other: str) -> bool:
    try:
        return here == Version(other)
    except InvalidVersion:
        return False  # from before PEP 440; nothing that is locked has such a name


def _in_range(here: Version, events: Sequence[dict[str, str]]) -> bool:
    """Follow the events in the order of their versions, up to `here`."""
    inside = False
    for kind, at in sorted(
        ((kind, text) for event in events for kind, text in event.items()),
        key=lambda one: (Version(one[1]) if one[1] != "0" else Version("0.dev0"), one[0]),
    ):
        version = Version(at) if at != "0" else Version("0.dev0")
        if kind == "introduced" and here >= version:
            inside = True
        elif (kind in ("fixed", "limit") and here >= version) or (
            kind == "last_affected" and here > version
        ):
            inside = False
    return inside


def _fixed(advisory: dict[str, Any], name: str) -> set[str]:
    return {
        event["fixed"]
        for affected in _about(advisory, name)
        for one in _ranges(affected)
        for event in one["events"]
        if "fixed" in event
    }


def read_dump(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a zip, a directory or a file.

    Raises:
        AuditError: it cannot be read, or a record of it is none.
    """
    try:
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                if file.suffix in _ENDINGS and not any(
                    part.startswith(".") for part in file.relative_to(path).parts
                ):
                    yield _record(file.name, file.read_bytes())
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for member in archive.infolist():
                    if member.filename.endswith(_ENDINGS):
                        if member.file_size > _MAX_RECORD:
                            raise AuditError(f"{member.filename}: {member.file_size} bytes")
                        yield _record(member.filename, archive.read(member))
        else:
            yield _record(path.name, path.read_bytes())
    except (OSError, zipfile.BadZipFile) as error:
        raise AuditError(f"{path}: {error}") from error


def _record(name: str, data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data) if name.endswith(".json") else yaml.safe_load(data)
        if not isinstance(found["id"], str):
            raise TypeError("its id is no text")
    except (ValueError, KeyError, TypeError, yaml.YAMLError) as error:
        raise AuditError(f"{name}: no record of an advisory: {error!r}") from error
    # YAML reads a time as one.
    return {**found, "modified": str(found.get("modified", "")).replace(" ", "T")}


def merge(known: Sequence[dict[str, Any]], new: Iterator[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is known with what is new: about our packages, the newest of each id, none withdrawn."""
    ours = {package.name for _, package in _read_locks()}
    merged = {one["id"]: one for one in known}
    for record in new:
        old = merged.get(record["id"])
        about = {canonicalize_name(one["package"]["name"]) for one in _about(record)}
        if (old or about & ours) and (old is None or record["modified"] >= old["modified"]):
            merged[record["id"]] = record
    return [_short(one) for _, one in sorted(merged.items()) if "withdrawn" not in one]


def _short(record: dict[str, Any]) -> dict[str, Any]:
    """What the audit needs of a record."""
    affected = [
        {
            "package": {"ecosystem": "PyPI", "name": one["package"]["name"]},
            "ranges": list(_ranges(one)),
            # Where there is a range, the list repeats it.
            "versions": [] if any(_ranges(one)) else one.get("versions") or [],
        }
        for one in _about(record)
    ]
    return {
        "id": record["id"],
        "aliases": record.get("aliases") or [],
        "modified": record["modified"],
        "summary": record.get("summary") or "",
        "affected": affected,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Update if asked to, compare, and tell; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--update",
        type=Path,
        metavar="FILE",
        help="merge a downloaded OSV zip, directory or record",
    )
    parser.add_argument(
        "--advisories", type=Path, default=ADVISORIES, help="the file of advisories [%(default)s]"
    )
    asked = parser.parse_args(arguments)
    try:
        found = read_advisories(asked.advisories)
        if asked.update:
            vulns = merge(found["vulns"], read_dump(asked.update))
            found = {"modified": max(one["modified"] for one in vulns), "vulns": vulns}
            rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in vulns)
            text = f'{{"modified": "{found["modified"]}", "vulns": [\n{rows}\n]}}\n'
            asked.advisories.write_text(text, encoding="utf-8")
        findings = find(found["vulns"])
    except AuditError as error:
        sys.stderr.write(f"audit: {error}\n")
        return 2
    for finding in findings:
        sys.stdout.write(f"{finding.line()}\n")
    open_ = {one.advisory["id"] for one in findings if not one.accepted}
    more = {one.advisory["id"] for one in findings} - open_
    accepted = f", {len(more)} more are accepted" if more else ""
    sys.stdout.write(
        f"{len(open_)} of {len(found['vulns'])} known advisories apply to what is locked"
        f"{accepted}; the newest is of {found['modified'][:10]}\n"
    )
    return 1 if open_ else 0


if __name__ == "__main__":
    sys.exit(main())
