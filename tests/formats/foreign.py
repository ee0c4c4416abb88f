"""What the tests of foreign formats share: pictures, and files in their framing."""

import gzip
import struct
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

from PIL import Image

from tapwright.core.episode import Episode
from tapwright.formats.format import EpisodeImporter, UnreadableEpisode
from tapwright.formats.importers.account import OpenedFiles, keep_account
from tapwright.formats.importers.records_pb2 import Example, Feature
from tapwright.formats.importers.tfrecord import masked_checksum

Values = Sequence[bytes] | Sequence[str] | Sequence[int] | Sequence[float]


def picture(number: int = 0, *, width: int = 100, height: int = 200, kind: str = "PNG") -> bytes:
    """A small picture, another one for each number."""
    made = BytesIO()
    Image.new("RGB", (width, height), (number % 256, 80, 160)).save(made, kind)
    return made.getvalue()


def read_all(
    importer: EpisodeImporter, path: Path
) -> tuple[list[Episode], list[UnreadableEpisode]]:
    """All that can be read, and all that cannot."""
    found = list(importer.read(path))
    good = [one for one in found if isinstance(one, Episode)]
    return good, [one for one in found if isinstance(one, UnreadableEpisode)]


def read_and_listen(importer: EpisodeImporter, path: Path) -> tuple[list[Episode], list[str]]:
    """The episodes that are kept, and all reasons that are told of what is not."""
    with keep_account(OpenedFiles()) as account:
        good, bad = read_all(importer, path)
    told = [one.reason for one in bad]
    told += [step.refused for one in good for step in one.steps if step.refused]
    return good, told + [one.reason for one in account.left_out() if one.is_fault]


def example(features: Mapping[str, Values]) -> bytes:
    """A `tf.train.Example`, its features of the kind that their values have."""
    made = Example()
    for name, values in features.items():
        feature = made.features.feature[name]
        _fill(feature, values)
    return made.SerializeToString()


def _fill(feature: Feature, values: Values) -> None:
    for value in values:
        if isinstance(value, int):
            feature.int64_list.value.append(value)
        elif isinstance(value, float):
            feature.float_list.value.append(value)
        else:
            feature.bytes_list.value.append(value.encode() if isinstance(value, str) else value)


def framed(*records: bytes) -> bytes:
    """A TFRecord file that is not gzipped."""
    made = b""
    for data in records:
        length = struct.pack("<Q", len(data))
        made += length + struct.pack("<I", masked_checksum(length))
        made += data + struct.pack("<I", masked_checksum(data))
    return made


def write_records(path: Path, *records: bytes) -> Path:
    """A gzipped TFRecord file."""
    path.write_bytes(gzip.compress(framed(*records)))
    return path
