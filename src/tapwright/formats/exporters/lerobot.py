"""LeRobotDataset v3: https://github.com/huggingface/lerobot/blob/7427f3180/docs/source/lerobot-dataset-v3.mdx.

    meta/info.json, meta/stats.json, meta/tasks.parquet
    meta/episodes/chunk-000/file-000.parquet   one row per episode
    data/chunk-000/file-000.parquet, …         one row per step

A step on a screen has no fixed length in time: there is one frame a second, and
`observation.time_s` has the recorded time. Pictures are of the type "image", as its video codec
would blur text. `action` is [kind, x, y, end x, end y], the kind by its place in the feature's
"names", places in fractions of the screen, 0 where there is none; `action_json` has all of it.
Pictures have one size; steps with another one are left out. Training's episodes come first.

Its own reader needs torch, so what is checked are the rules of its `datasets/utils.py` and
`datasets/io_utils.py`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tapwright.core.actions import Action
from tapwright.core.episode import dump_actions
from tapwright.core.geometry import Point, Size
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters import parquet, training_set
from tapwright.formats.exporters.check import check_embedded_images, read_json, wrap_read_errors
from tapwright.formats.exporters.turns import JsonObject
from tapwright.formats.exporters.writers import Trainer, write_json

_IMAGE = "observation.images.screen"
_FPS = 1
_FILE_MB = 100
_CHUNK_FILES = 1000
_MOST_PICTURES = 64
_DATA_PATH = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_EPISODES_PATH = "meta/episodes/chunk-000/file-000.parquet"
_KINDS = [kind.model_fields["type"].default for kind in get_args(get_args(Action)[0])]
_AXES = ["kind", "x", "y", "end_x", "end_y"]
_SCALARS: Mapping[str, tuple[str, pa.DataType]] = {
    "observation.time_s": ("float32", pa.float32()),
    "next.reward": ("float32", pa.float32()),
    "action_json": ("string", pa.string()),
    "reasoning": ("string", pa.string()),
    "target": ("string", pa.string()),
    "timestamp": ("float32", pa.float32()),
    "frame_index": ("int64", pa.int64()),
    "episode_index": ("int64", pa.int64()),
    "index": ("int64", pa.int64()),
    "task_index": ("int64", pa.int64()),
}
_SCHEMA = parquet.add_features(
    pa.schema(
        {
            _IMAGE: parquet.IMAGE_TYPE,
            "action": pa.list_(pa.float32(), len(_AXES)),
            **{name: type_ for name, (_, type_) in _SCALARS.items()},
        }
    )
)
_EPISODE_SCHEMA = pa.schema(
    {
        "episode_index": pa.int64(),
        "tasks": pa.list_(pa.string()),
        "length": pa.int64(),
        "data/chunk_index": pa.int64(),
        "data/file_index": pa.int64(),
        "dataset_from_index": pa.int64(),
        "dataset_to_index": pa.int64(),
        "meta/episodes/chunk_index": pa.int64(),
        "meta/episodes/file_index": pa.int64(),
        "episode": pa.string(),
    }
)
_PANDAS = {
    "index_columns": ["task"],
    "column_indexes": [],
    "columns": [
        {
            "name": name,
            "field_name": name,
            "pandas_type": kind,
            "numpy_type": dtype,
            "metadata": None,
        }
        for name, kind, dtype in (("task_index", "int64", "int64"), ("task", "unicode", "object"))
    ],
}
_TASKS_SCHEMA = pa.schema(
    {"task_index": pa.int64(), "task": pa.string()}, metadata={"pandas": json.dumps(_PANDAS)}
)


def _check(directory: Path) -> int:
    """Checks that the data are as `meta` describes them; returns the number of steps."""
    path = directory / "meta/info.json"
    info = read_json(path)
    if not isinstance(info, dict) or info.get("codebase_version") != "v3.0":
        raise BadTrainingSetError(f"{path}: not of version v3.0")
    features = info.get("features")
    columns = set(features) if isinstance(features, dict) else set()
    with wrap_read_errors(directory):
        episodes = list(parquet.read_parquet(directory / _EPISODES_PATH))
        tasks = {
            row["task_index"] for row in parquet.read_parquet(directory / "meta/tasks.parquet")
        }
        found = list(_check_data(directory, columns, tasks))
    expected = [
        (
            _DATA_PATH.format(
                chunk_index=one["data/chunk_index"], file_index=one["data/file_index"]
            ),
            one["episode_index"],
            one["dataset_from_index"],
            one["length"],
        )
        for one in episodes
    ]
    if found != expected:
        raise BadTrainingSetError(
            f"{directory / _EPISODES_PATH}: its episodes differ from those of the data"
        )
    count = sum(length for *_, length in found)
    counts = (info.get("total_episodes"), info.get("total_frames"), info.get("total_tasks"))
    if counts != (len(episodes), count, len(tasks)):
        raise BadTrainingSetError(
            f"{path}: episodes, frames and tasks are {counts}; the data have others"
        )
    return count


LEROBOT = Trainer("lerobot", lambda directory, _: _Writer(directory), _check)


class _Writer:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._size: Size | None = None
        self._file: parquet.ParquetFileWriter | None = None
        self._files = 0
        self._frames = 0
        self._episodes: list[dict[str, Any]] = []
        self._train = 0
        self._tasks: dict[str, int] = {}
        self._statistics: dict[str, _FeatureStatistics] = {}

    def add(self, sample: training_set.TrainingSample) -> None:
        size = sample.picture.size
        self._size = self._size or size
        if size != self._size:
            raise training_set.UnusableStepError(
                f"its picture has {size} pixels; LeRobot needs one size, here {self._size}"
            )
        if not self._episodes or self._episodes[-1]["episode"] != sample.episode.id:
            self._begin(sample)
        episode = self._episodes[-1]
        decision, seen = sample.step.decision, sample.step.observation
        task = sample.episode.instruction
        numbers = {
            "action": _vector(decision.first),
            "observation.time_s": seen.time_s,
            "next.reward": sample.step.reward,
            "timestamp": episode["length"] / _FPS,
            "frame_index": episode["length"],
            "episode_index": episode["episode_index"],
            "index": self._frames,
            "task_index": self._tasks[task],
        }
        for name, value in numbers.items():
            self._statistics.setdefault(name, _FeatureStatistics()).add(np.reshape(value, (1, -1)))
        if episode["length"] == 0 and len(self._episodes) <= _MOST_PICTURES:
            pixels = np.asarray(sample.picture.image()).reshape(-1, 3) / 255
            self._statistics.setdefault(_IMAGE, _FeatureStatistics()).add(pixels)
        assert self._file is not None  # the episode was begun
        self._file.add(
            {
                _IMAGE: parquet.image_struct(sample.picture),
                "action_json": dump_actions(decision.actions),
                "reasoning": decision.reasoning,
                "target": decision.target,
                **numbers,
            }
        )
        episode["length"] += 1
        self._frames += 1
        episode["dataset_to_index"] = self._frames

    def _begin(self, sample: training_set.TrainingSample) -> None:
        if self._file is not None and self._file.size >= _FILE_MB << 20:
            self._file.close()
            self._file = None
        if self._file is None:
            chunk, number = divmod(self._files, _CHUNK_FILES)
            path = self._directory / _DATA_PATH.format(chunk_index=chunk, file_index=number)
            self._file = parquet.ParquetFileWriter(path, _SCHEMA)
            self._files += 1
        chunk, number = divmod(self._files - 1, _CHUNK_FILES)
        task = sample.episode.instruction
        self._tasks.setdefault(task, len(self._tasks))
        self._train += sample.split == "train"
        self._episodes.append(
            {
                "episode_index": len(self._episodes),
                "tasks": [task],
                "length": 0,
                "data/chunk_index": chunk,
                "data/file_index": number,
                "dataset_from_index": self._frames,
                "dataset_to_index": self._frames,
                "meta/episodes/chunk_index": 0,
                "meta/episodes/file_index": 0,
                "episode": sample.episode.id,
            }
        )

    def close(self) -> None:
        assert self._file is not None  # a sample was added
        assert self._size is not None
        self._file.close()
        meta = self._directory / "meta"
        _write_all(self._directory / _EPISODES_PATH, _EPISODE_SCHEMA, self._episodes)
        tasks = [{"task": task, "task_index": index} for task, index in self._tasks.items()]
        _write_all(meta / "tasks.parquet", _TASKS_SCHEMA, tasks)
        statistics: JsonObject = {
            name: one.as_json((3, 1, 1) if name == _IMAGE else (-1,))
            for name, one in self._statistics.items()
        }
        write_json(meta / "stats.json", statistics)
        write_json(meta / "info.json", self._info(self._size))

    def _info(self, size: Size) -> JsonObject:
        total = len(self._episodes)
        splits: JsonObject = {"train": f"0:{self._train}"}
        if self._train < total:
            splits["val"] = f"{self._train}:{total}"
        features: JsonObject = {
            _IMAGE: {
                "dtype": "image",
                "shape": [size.height, size.width, 3],
                "names": ["height", "width", "channels"],
            },
            "action": {
                "dtype": "float32",
                "shape": [len(_AXES)],
                "names": {"axes": list(_AXES), "kinds": list(_KINDS)},
            },
        }
        for name, (dtype, _) in _SCALARS.items():
            features[name] = {"dtype": dtype, "shape": [1], "names": None}
        return {
            "codebase_version": "v3.0",
            "robot_type": "screen",
            "total_episodes": total,
            "total_frames": self._frames,
            "total_tasks": len(self._tasks),
            "chunks_size": _CHUNK_FILES,
            "data_files_size_in_mb": _FILE_MB,
            "video_files_size_in_mb": 200,
            "fps": _FPS,
            "splits": splits,
            "data_path": _DATA_PATH,
            "video_path": None,
            "features": features,
        }


class _FeatureStatistics:
    """Minimum, maximum, mean and deviation of a feature, batch by batch, for `stats.json`."""

    def __init__(self) -> None:
        self._count = 0
        self._parts: list[npt.NDArray[np.float64]] = []

    def add(self, values: npt.ArrayLike) -> None:
        """Add a batch of shape (values, dimensions), with at least one value."""
        batch = np.asarray(values, np.float64)
        now = [batch.min(0), batch.max(0), batch.sum(0), (batch * batch).sum(0)]
        if self._count:
            least, greatest, total, squares = self._parts
            now[:2] = [np.minimum(now[0], least), np.maximum(now[1], greatest)]
            now[2:] = [now[2] + total, now[3] + squares]
        self._parts = now
        self._count += len(batch)

    def as_json(self, shape: Sequence[int]) -> JsonObject:
        """Returns each as an array of `shape`, and the number of values."""
        least, greatest, total, squares = self._parts
        mean = total / self._count
        deviation = np.sqrt(np.maximum(squares / self._count - mean * mean, 0))
        named = {"min": least, "max": greatest, "mean": mean, "std": deviation}
        statistics: JsonObject = {name: one.reshape(shape).tolist() for name, one in named.items()}
        return {**statistics, "count": [self._count]}


def _vector(action: Action) -> list[float]:
    places = [value for _, value in action if isinstance(value, Point)]
    numbers = [number for place in places for number in (place.x, place.y)]
    return [float(_KINDS.index(action.type)), *numbers, *[0.0] * (4 - len(numbers))]


def _write_all(path: Path, schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> None:
    file = parquet.ParquetFileWriter(path, schema)
    for row in rows:
        file.add(row)
    file.close()


def _check_data(
    directory: Path, columns: set[str], tasks: set[int]
) -> Iterator[tuple[str, int, int, int]]:
    """Check all rows; yields (file, episode, first index, length) of each episode in order."""
    index = 0
    for path in sorted((directory / "data").glob("*/*.parquet")):
        current, first = -1, index
        for number, row in enumerate(parquet.read_parquet(path)):
            where = f"{path}, row {number}"
            if set(row) != columns:
                raise BadTrainingSetError(f"{where}: its columns are not the features of info.json")
            if row["episode_index"] != current:
                if index > first:
                    yield path.relative_to(directory).as_posix(), current, first, index - first
                current, first = row["episode_index"], index
            if (row["frame_index"], row["index"]) != (index - first, index):
                raise BadTrainingSetError(f"{where}: its frame_index or index is out of order")
            if row["task_index"] not in tasks:
                raise BadTrainingSetError(f"{where}: its task is not in tasks.parquet")
            check_embedded_images([row[_IMAGE]], where)
            index += 1
        if index > first:
            yield path.relative_to(directory).as_posix(), current, first, index - first
