"""WebDataset: https://github.com/webdataset/webdataset, read by its library and by `datasets`.

    train-000000.tar, …   <key>.json, and <key>.png, or <key>.0.png, <key>.1.png, …

A key has no dot, as the kind of file follows the first one. All values of a JSON file are
texts and numbers, the same in each, or one sample's fields would be nulls in the others. All
pictures have the first one's extension, for the same reason; readers tell the image type by the
bytes. Where samples have several pictures, their number differs, which only the library can read.
"""

import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import JsonValue

from tapwright.core.episode import dump_actions
from tapwright.files.regular import open_regular
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.check import check_placeholders, check_turns, wrap_read_errors
from tapwright.formats.exporters.training_set import SftSettings, TrainingSample
from tapwright.formats.exporters.turns import JsonObject, render_turns
from tapwright.formats.exporters.writers import BUFFER, SampleRows, Trainer

_ROLES = ("system", "user", "assistant", "tool")
_SHARD_BYTES = 500 << 20


def _check(directory: Path) -> int:
    """A sample's files are adjacent, its turns a conversation, `<image>` as often as pictures."""
    paths = sorted(directory.glob("*.tar"))
    if not paths:
        raise BadTrainingSetError(f"{directory}: has no samples")
    return sum(_check_shard(path) for path in paths)


def _write(directory: Path, settings: SftSettings) -> SampleRows:
    extension = ""

    def row(sample: TrainingSample) -> Mapping[str, object]:
        nonlocal extension
        decision = sample.step.decision
        fields: JsonObject = {
            "messages": list(render_turns(sample)),
            "instruction": sample.instruction,
            "action": dump_actions(decision.actions),
            "reasoning": decision.reasoning,
            "target": decision.target,
            "episode": sample.episode.id,
            "step": sample.number,
            "weight": sample.weight,
        }
        pictures = sample.pictures
        several = len(pictures) > 1
        # A file's name is a column's: readers take the columns from the first samples.
        extension = extension or pictures[0].extension
        files: dict[str, bytes] = {
            f"{f'{number}.' if several else ''}{extension}": picture.data
            for number, picture in enumerate(pictures)
        }
        files["json"] = json.dumps(fields, ensure_ascii=False).encode()
        return {"key": sample.key, "files": files}

    return SampleRows(lambda split: _Shards(directory / split), row)


WEB_DATASET = Trainer("webdataset", _write, _check)


class _Shards:
    """Writes tar files `<stem>-000000.tar`, … whose bytes do not depend on time or user."""

    def __init__(self, stem: Path) -> None:
        self._stem = stem
        self._count = self._size = 0
        self._tar: BinaryIO | None = None

    def add(self, row: Mapping[str, Any]) -> None:
        """Write the `files` of one sample, by their kind, under its `key`."""
        if self._tar is None:
            path = self._stem.with_name(f"{self._stem.name}-{self._count:06d}.tar")
            self._tar = path.open("wb", buffering=BUFFER)
            self._count, self._size = self._count + 1, 0
        for kind, data in row["files"].items():
            self._tar.write(_head(f"{row['key']}.{kind}", len(data)))
            self._tar.write(data)
            self._tar.write(bytes(-len(data) % tarfile.BLOCKSIZE))
            self._size += len(data)
        if self._size >= _SHARD_BYTES:
            self.close()

    def close(self) -> None:
        """Close the last shard."""
        if self._tar is not None:
            self._tar.write(bytes(2 * tarfile.BLOCKSIZE))
            self._tar.write(bytes(-self._tar.tell() % tarfile.RECORDSIZE))
            self._tar.close()
            self._tar = None


_PLAIN_HEAD = tarfile.TarInfo().tobuf(tarfile.USTAR_FORMAT)
_PLAIN_SUM = int(_PLAIN_HEAD[148:154], 8)


def _head(name: str, size: int) -> bytes:
    """The block before a file: tarfile's, which takes ten times as long to make each anew.

    Between two files name, size and the sum of all bytes differ
    (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06).
    """
    short, digits = name.encode(), b"%011o" % size
    if len(short) > tarfile.LENGTH_NAME or len(digits) > len("00000000000"):
        entry = tarfile.TarInfo(name)
        entry.size = size
        return entry.tobuf(tarfile.USTAR_FORMAT)
    total = _PLAIN_SUM + sum(short) + sum(digits) - sum(b"00000000000")
    return b"".join(
        (
            short.ljust(tarfile.LENGTH_NAME, b"\0"),
            _PLAIN_HEAD[100:124],
            digits,
            _PLAIN_HEAD[135:148],
            b"%06o" % total,
            _PLAIN_HEAD[154:],
        )
    )


def _check_shard(path: Path) -> int:
    count, pictures, current = 0, 0, ""
    done: set[str] = set()
    try:
        with (
            wrap_read_errors(path),
            open_regular(path) as opened,
            tarfile.open(fileobj=opened) as tar,
        ):
            for entry in tar:
                key, _, kind = entry.name.partition(".")
                if key in done:
                    raise BadTrainingSetError(f"{path}: the files of {key} are not adjacent")
                if key != current and current:
                    raise BadTrainingSetError(f"{path}: {current} has no conversation")
                current = key
                if kind != "json":
                    pictures += 1
                    continue
                file = tar.extractfile(entry)
                _check_sample(json.load(file) if file else None, pictures, f"{path}, {key}")
                done.add(key)
                count, pictures, current = count + 1, 0, ""
    except tarfile.TarError as error:
        raise BadTrainingSetError(f"{path}: not a tar file: {error}") from error
    return count


def _check_sample(sample: JsonValue, pictures: int, where: str) -> None:
    turns = check_turns(sample.get("messages") if isinstance(sample, dict) else None, _ROLES, where)
    check_placeholders("\n".join(str(content) for _, content in turns), pictures, where)
