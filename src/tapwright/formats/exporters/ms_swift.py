"""ms-swift: its "Custom-dataset" page, at https://github.com/modelscope/ms-swift/tree/3602360a5.

    train.jsonl, val.jsonl   {"messages": [{"role", "content"}], "images": [path]}

Answers that a prompt has are not trained on: they have "loss": false. Coordinates are those of
the convention, so no "objects" are given, which ms-swift would rescale.
"""

from pathlib import Path

from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.check import (
    check_image_files,
    check_placeholders,
    check_turns,
    find_split_files,
    read_json_lines,
)
from tapwright.formats.exporters.pictures import image_path
from tapwright.formats.exporters.training_set import SftSettings, SftWriter, TrainingSample
from tapwright.formats.exporters.turns import describe_origin, render_turns
from tapwright.formats.exporters.writers import JsonLinesWriter, SplitWriter

_ROLES = ("system", "user", "assistant", "tool", "tool_call", "tool_response")


class MsSwift:
    """Writes and checks training sets for ms-swift."""

    name = "ms-swift"
    writes_image_files = True
    learns_from_play = False
    takes_follow_ups = True

    def writer(self, directory: Path, settings: SftSettings) -> SftWriter:
        """Start a training set."""
        return _Writer(directory)

    def check(self, directory: Path) -> int:
        """Check both files; returns the number of samples.

        Known roles, the assistant last, `<image>` as often as images, every image a file, no
        `<bbox>` without objects.
        """
        count = 0
        for path in find_split_files(directory, ".jsonl"):
            for where, sample in read_json_lines(path):
                turns = check_turns(sample.get("messages"), _ROLES, where)
                words = "\n".join(str(content) for _, content in turns)
                check_placeholders(
                    words, check_image_files(sample.get("images"), directory, where), where
                )
                if "<bbox>" in words or "<ref-object>" in words:
                    raise BadTrainingSetError(f"{where}: names a box, and has no objects")
                count += 1
        return count


MS_SWIFT = MsSwift()


class _Writer:
    def __init__(self, directory: Path) -> None:
        self._sets = SplitWriter(lambda split: JsonLinesWriter(directory / f"{split}.jsonl"))

    def add(self, sample: TrainingSample) -> None:
        turns = render_turns(sample)
        for turn in turns[: len(sample.prompt)]:
            if turn["role"] == "assistant":
                turn["loss"] = False
        self._sets.add(
            sample.split,
            {
                "messages": list(turns),
                "images": [image_path(picture) for picture in sample.pictures],
                **describe_origin(sample),
            },
        )

    def close(self) -> None:
        self._sets.close()
