"""scripts/audit.py: which locked versions an advisory names, and merging downloaded ones."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.scripts import load_script

audit = load_script("audit")


def advisory(
    *events: dict[str, str], name: str = "pillow", id_: str = "TEST-1", **more: Any
) -> dict[str, Any]:
    ranges = [{"type": "ECOSYSTEM", "events": list(events)}] if events else []
    affected = {"package": {"ecosystem": "PyPI", "name": name}, "ranges": ranges}
    return {
        "id": id_,
        "modified": "2026-01-02T00:00:00Z",
        "summary": "a picture runs code",
        "affected": [{**affected, "versions": more.pop("versions", [])}],
        **more,
    }


FIXED_TWICE = (
    {"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "2.0rc1"}, {"fixed": "2.1.post1"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("version", "events", "affected"),
    [
        ("1.1.9", FIXED_TWICE, True),
        ("1.2", FIXED_TWICE, False),
        ("1.10", FIXED_TWICE, False),
        ("2.0", FIXED_TWICE, True),
        ("2.1+cpu", FIXED_TWICE, True),
        ("2.1.post1", FIXED_TWICE, False),
        ("2.0", tuple(reversed(FIXED_TWICE)), True),
        ("1.2", ({"introduced": "1.0"}, {"last_affected": "1.2"}), True),
        ("1.2.1", ({"introduced": "1.0"}, {"last_affected": "1.2"}), False),
        ("0.9", ({"introduced": "1.0"},), False),
        ("0.0.dev1", ({"introduced": "0"},), True),
        ("9!9", ({"introduced": "0"},), True),
    ],
)
def test_a_range_says_which_versions_are_affected(
    version: str, events: tuple[dict[str, str], ...], affected: bool
) -> None:
    assert audit.is_affected(advisory(*events), "pillow", version) is affected


def test_a_list_of_versions_counts_and_a_withdrawn_advisory_does_not() -> None:
    listed = advisory(versions=["1.0", "not-a-version", "1.1"])
    assert audit.is_affected(listed, "pillow", "1.1.0")
    assert not audit.is_affected(listed, "pillow", "1.2")
    assert not audit.is_affected(listed, "pyarrow", "1.0")
    withdrawn = {**listed, "withdrawn": "2026-01-03T00:00:00Z"}
    assert not audit.is_affected(withdrawn, "pillow", "1.0")
    npm = json.loads(json.dumps(listed).replace("PyPI", "npm"))
    assert not audit.is_affected(npm, "pillow", "1.0")


def written(path: Path, *advisories: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"modified": "2026-01-02T00:00:00Z", "vulns": advisories}))
    return path


def test_an_advisory_that_applies_is_told_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = written(
        tmp_path / "a.json",
        advisory({"introduced": "0"}, {"fixed": "9999"}, name="Pillow", aliases=["CVE-1"]),
        advisory({"introduced": "0"}, {"fixed": "0.1"}, id_="TEST-2"),
    )
    assert audit.main(["--advisories", str(known)]) == 1
    first, *others, last = capsys.readouterr().out.splitlines()
    assert first.startswith("pillow ")
    assert "(locks/core.txt): TEST-1 CVE-1: a picture runs code; fixed in 9999" in first
    assert all("/suites/" in one or "/sites/" in one for one in others)
    assert last.startswith("1 of 2 known advisories apply")
    assert last.endswith("2026-01-02")


@pytest.mark.parametrize("form", ["directory", "zip", "file"])
def test_downloaded_advisories_on_our_packages_are_merged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    old = advisory({"introduced": "0"}, {"fixed": "9999"})
    known = written(tmp_path / "a.json", old, advisory(id_="TEST-2"))
    newer = advisory({"introduced": "0"}, {"fixed": "0.1"}, details="long")
    newer["modified"] = "2026-05-06T07:08:09Z"
    dump = tmp_path / "dump"
    dump.mkdir()
    records = [newer]
    if form != "file":
        records += [
            advisory(id_="TEST-2", withdrawn="2026-02-02T00:00:00Z"),
            advisory({"introduced": "0"}, name="nobody-locks-this", id_="TEST-3"),
            {**old, "modified": "2025-01-01T00:00:00Z"},
        ]
    for number, record in enumerate(records):
        (dump / f"{number}.json").write_text(json.dumps(record))
    (dump / "README.md").write_text("no record")
    source = dump
    if form == "file":
        source = dump / "0.json"
    elif form == "zip":
        source = tmp_path / "all.zip"
        with zipfile.ZipFile(source, "w") as archive:
            for path in sorted(dump.iterdir()):
                archive.write(path, path.name)
    assert audit.main(["--advisories", str(known), "--update", str(source)]) == 0
    assert "2026-05-06" in capsys.readouterr().out
    merged = audit.read_advisories(known)
    ids = ["TEST-1", "TEST-2"] if form == "file" else ["TEST-1"]
    assert [one["id"] for one in merged["vulns"]] == ids
    assert merged["vulns"][0]["modified"] == "2026-05-06T07:08:09Z"


def test_records_in_yaml_are_read(tmp_path: Path) -> None:
    (tmp_path / "PYSEC-1.yaml").write_text("id: PYSEC-1\nmodified: 2024-02-05T20:20:47.7Z\n")
    (record,) = audit.read_dump(tmp_path)
    assert record["modified"].startswith("2024-02-05T20:20:47.7")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"vulns": [1]}', '{"vulns": [{"id": "x"}]}'])
def test_what_is_no_file_of_advisories_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert audit.main(["--advisories", str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"audit: {path}: no file of advisories")


@pytest.mark.parametrize("record", ["[]", "{", '{"id": 3}', "7"])
def test_a_dump_with_something_else_in_it_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record: str
) -> None:
    known = written(tmp_path / "a.json", advisory())
    before = known.read_bytes()
    (tmp_path / "x.json").write_text(record)
    arguments = ["--advisories", str(known), "--update", str(tmp_path / "x.json")]
    assert audit.main(arguments) == 2
    assert "x.json: no record of an advisory" in capsys.readouterr().err
    assert known.read_bytes() == before


def test_a_version_that_is_none_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = written(tmp_path / "a.json", advisory({"introduced": "of old"}))
    assert audit.main(["--advisories", str(known)]) == 2
    assert "TEST-1" in capsys.readouterr().err


def test_of_the_advisories_that_come_along_only_accepted_ones_apply(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = audit.read_advisories()
    assert len(found["vulns"]) >= 16
    findings = audit.find(found["vulns"])
    assert all(one.accepted for one in findings)
    assert len(findings) == len(audit.ACCEPTED)  # none is accepted that no longer applies
    assert audit.main([]) == 0
    assert f"0 of {len(found['vulns'])} known advisories apply" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("package", "lock"),
    [("trac", "src/tapwright/sites/locks/trac.txt"), ("pypdf2", "locks/suites/osworld.txt")],
)
def test_what_sites_and_suites_lock_is_compared_and_updated_too(
    package: str, lock: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, new = written(tmp_path / "a.json", advisory()), tmp_path / "new.json"
    new.write_text(json.dumps(advisory({"introduced": "0"}, name=package, id_="TEST-2")))
    assert audit.main(["--advisories", str(known), "--update", str(new)]) == 1
    assert f"({lock}): TEST-2: a picture runs code" in capsys.readouterr().out


def test_an_advisory_is_accepted_for_one_lock_alone() -> None:
    (lock, cve), *_ = audit.ACCEPTED
    (package,) = (one for one in audit.read_lock("core") if one.name == "pillow")
    of_cve = advisory({"introduced": "0"}, aliases=[cve])
    assert audit.Finding(lock, package, of_cve).accepted
    assert not audit.Finding("locks/core.txt", package, of_cve).accepted
