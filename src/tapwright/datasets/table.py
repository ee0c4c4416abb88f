"""Data sets by name, read from `table.toml`: source, commit, size, licence, where each was read.

Commits of hub repositories are those that other projects pin, compared with the short commit on the
hub's own page where a stored copy of that page could be read; nothing of this was downloaded here.
Of three sources no commit exists: two buckets, whose storage states an MD5 sum of each object, and
one file on Google Drive, of which no hash is published. CAGUI's commit stands nowhere in full. The
first download fixes both.

A row that is `like` another differs from it by what stands in it.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tapwright.datasets.buckets import BucketSource, FileSource
from tapwright.datasets.dataset import Archive, Dataset, DatasetSource
from tapwright.datasets.github import GitHubSource
from tapwright.datasets.hub import HubSource
from tapwright.files.packaged import read_table

_SOURCES: Mapping[str, Callable[..., DatasetSource]] = {
    "bucket": BucketSource, "file": FileSource, "github": GitHubSource, "hub": HubSource,
}  # fmt: skip


@cache
def _rows() -> Mapping[str, dict[str, Any]]:
    return read_table("tapwright.datasets", "table")


def __getattr__(name: str) -> Dataset:
    row = _rows().get(name)
    if row is None:
        raise AttributeError(f"{name} is not in table.toml")
    base = _rows().get(row.get("like", ""), {})
    source = _tuples({**base.get("source", {}), **row.get("source", {})})
    facts = _tuples({key: value for key, value in {**base, **row}.items() if key != "like"})
    archives = tuple(Archive(*one) for one in facts.pop("archives", ()))
    facts["source"] = _SOURCES[source.pop("kind")](**source)
    return Dataset(name=name, archives=archives, **facts)


def _tuples(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
