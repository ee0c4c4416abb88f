"""Rules that several trainers share, checked on the files of a training set."""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from pydantic import JsonValue

from tapwright.conventions.grounding import has_empty_box
from tapwright.files.regular import open_regular, open_regular_text, read_regular
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.turns import PLACEHOLDER
from tapwright.formats.json_items import read_items

_IMAGE_HEADS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")


@contextmanager
def wrap_read_errors(path: Path) -> Iterator[None]:
    """Raise what goes wrong while a file is read as a `BadTrainingSetError`."""
    try:
        yield
    except OSError as error:
        raise BadTrainingSetError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise BadTrainingSetError(f"{path}: not JSON: {error}") from error


def read_json(path: Path) -> JsonValue:
    """Reads a JSON file.

    Raises:
        BadTrainingSetError: it cannot be read, or is not JSON.
    """
    with wrap_read_errors(path):
        return cast(JsonValue, json.loads(read_regular(path)))


def read_manifest(directory: Path) -> dict[str, JsonValue]:
    """The manifest of a set, whose files are all there.

    Raises:
        BadTrainingSetError: there is none, it lacks its format, or a file that it lists is missing.
    """
    path = directory / "manifest.json"
    if not path.is_file():
        raise BadTrainingSetError(
            f"{directory}: has no manifest.json, as sets of tapwright sft export have",
            hint="of a set that others made, name its trainer: --format",
        )
    manifest = read_json(path)
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(manifest, dict) or not isinstance(files, dict):
        raise BadTrainingSetError(f"{path}: not the manifest of a training set")
    for name in files:
        if not (directory / name).is_file():
            raise BadTrainingSetError(f"{path}: lists {name}, which is missing")
    if not isinstance(manifest.get("format"), str):
        raise BadTrainingSetError(
            f"{path}: has no format, the name of the trainer that the set is for",
            hint="name it: --format; or write the set again: tapwright sft export … -o NEW",
        )
    return manifest


def check_files(directory: Path, manifest: Mapping[str, JsonValue]) -> None:
    """Check that the files of a set are those that were written, by the hashes of its manifest.

    Images are not among them.

    Raises:
        BadTrainingSetError: a file differs, or cannot be read.
    """
    files = manifest["files"]
    assert isinstance(files, dict)  # `read_manifest` gave it
    for name, expected in files.items():
        path = directory / name
        with wrap_read_errors(path), open_regular(path) as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if found != expected:
            raise BadTrainingSetError(
                f"{path}: is not what sft export wrote: its SHA-256 is {found[:12]}…, and "
                f"manifest.json has {str(expected)[:12]}…",
                hint="write the set again: tapwright sft export … -o NEW; if you edited the file "
                "on purpose, remove manifest.json and name the trainer: --format "
                f"{manifest['format']}",
            )


def read_json_list(path: Path) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """Yields the objects of a JSON list, each after its place ("train.json, sample 3").

    Raises:
        BadTrainingSetError: it is not a list of objects, or empty.
    """
    with wrap_read_errors(path):
        yield from _objects(path, read_items(path))


def read_json_lines(path: Path) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """Yields the objects of a file of JSON lines; raises as `read_json_list` does."""
    with wrap_read_errors(path), open_regular_text(path, "utf-8") as file:
        yield from _objects(path, map(json.loads, file))


def _objects(path: Path, items: Iterator[JsonValue]) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    count = 0
    for count, item in enumerate(items, start=1):
        where = f"{path}, sample {count - 1}"
        if not isinstance(item, dict):
            raise BadTrainingSetError(f"{where}: not an object")
        yield where, item
    if not count:
        raise BadTrainingSetError(f"{path}: has no samples")


def find_split_files(directory: Path, suffix: str) -> list[Path]:
    """Finds the files of the splits: train and val with `suffix`.

    Raises:
        BadTrainingSetError: there is neither.
    """
    paths = [directory / f"{split}{suffix}" for split in ("train", "val")]
    found = [path for path in paths if path.is_file()]
    if not found:
        raise BadTrainingSetError(f"{directory}: has neither train{suffix} nor val{suffix}")
    return found


def check_lines(directory: Path, check: Callable[[dict[str, JsonValue], str], object]) -> int:
    """Checks each sample of `train.jsonl` and `val.jsonl`; returns how many there are.

    Raises:
        BadTrainingSetError: there is neither file, or one holds something else than objects.
    """
    count = 0
    for path in find_split_files(directory, ".jsonl"):
        for where, sample in read_json_lines(path):
            check(sample, where)
            count += 1
    return count


def check_placeholders(text: str, images: int, where: str) -> None:
    """Check that a text has as many `<image>` as images, and no other media.

    Raises:
        BadTrainingSetError: it has not.
    """
    if "<video>" in text or "<audio>" in text:
        raise BadTrainingSetError(f"{where}: names a video or a sound, and the set has none")
    if (found := text.count(PLACEHOLDER)) != images:
        raise BadTrainingSetError(f"{where}: has {found} times {PLACEHOLDER}, and {images} images")


def check_boxes(answer: JsonValue, where: str) -> None:
    """Check that no box in an answer is without area: nothing could be learned from it.

    Raises:
        BadTrainingSetError: one is.
    """
    parts = answer if isinstance(answer, list) else [answer]
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str) and has_empty_box(text):
            raise BadTrainingSetError(
                f"{where}: a box without area: {text[:120]!r}",
                hint="write the set again: sft export takes the boxes of the view hierarchy, and "
                "leaves out a step without one",
            )


def check_image_files(images: JsonValue, directory: Path, where: str) -> int:
    """Check that each of a list of names is that of a file below a directory; returns how many.

    Raises:
        BadTrainingSetError: it is not a list, or a file is elsewhere or missing.
    """
    if not isinstance(images, list):
        raise BadTrainingSetError(f"{where}: the images are not a list")
    root = os.fspath(directory)
    for image in images:
        name = str(image)
        if name.startswith("/") or ".." in name.split("/"):
            raise BadTrainingSetError(f"{where}: {image} is not below the data set")
        if not os.path.isfile(f"{root}/{name}"):
            raise BadTrainingSetError(f"{where}: the file {image} is missing")
    return len(images)


def check_embedded_images(images: Sequence[dict[str, Any]], where: str) -> int:
    """Check that images inside a row are PNG, JPEG or WebP, without a path; returns how many.

    Raises:
        BadTrainingSetError: one is something else by its first bytes, or names a file.
    """
    for image in images:
        if not (image["bytes"] or b"").startswith(_IMAGE_HEADS):
            raise BadTrainingSetError(f"{where}: an image is not PNG, JPEG or WebP")
        if image["path"] is not None:
            raise BadTrainingSetError(
                f"{where}: an image names the file {image['path']}, which a reader would open"
            )
    return len(images)


def check_turns(turns: JsonValue, roles: Sequence[str], where: str) -> list[tuple[str, JsonValue]]:
    """Check turns of {"role", "content"}: known roles, no empty turn, the assistant last.

    Returns the role and content of each.

    Raises:
        BadTrainingSetError: a turn breaks a rule.
    """
    checked: list[tuple[str, JsonValue]] = []
    for number, turn in enumerate(turns if isinstance(turns, list) else []):
        match turn:
            case {"role": str(role), "content": content} if role in roles and content:
                if role == "assistant":
                    check_boxes(content, where)
                checked.append((role, content))
            case {"role": role, "content": content} if role in roles:
                raise BadTrainingSetError(f"{where}: turn {number} by {role!r} is empty")
            case _:
                found = turn.get("role") if isinstance(turn, dict) else None
                raise BadTrainingSetError(
                    f"{where}: turn {number} is by {found!r}; expected {', '.join(roles)}"
                )
    if not checked or checked[-1][0] != "assistant":
        raise BadTrainingSetError(f"{where}: the last turn is not the assistant's")
    return checked
