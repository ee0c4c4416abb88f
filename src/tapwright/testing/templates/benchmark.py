"""A benchmark of your own: pictures, a question about each, and how an answer is scored.

Its data is a directory with `rows.json`, a list of objects such as
    {"id": "1", "picture": "1.png", "size": [1080, 2400], "question": "What is on?",
     "answer": "wifi", "app": "settings"}
and the pictures beside it.

Measure a model: tapwright eval run own:load --data DIR -m openai/NAME --base-url URL
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tapwright.benchmarks.benchmark import Score, StaticSample
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Picture, Text


@dataclass(frozen=True, slots=True)
class Question(StaticSample):
    """One row; `labels` are what results are grouped by."""

    answer: str = ""

    @property
    def truth(self) -> str:
        """What run logs keep as the right answer."""
        return self.answer


class Own:
    """The questions of one directory."""

    name = "own"

    def __init__(self, root: Path) -> None:
        text = (root / "rows.json").read_bytes()
        self.source = str(root.resolve())
        self.data_sha256 = hashlib.sha256(text).hexdigest()
        self._samples = [
            Question(
                row["id"],
                row["question"],
                {"app": row.get("app", "")},
                root / row["picture"],
                Size(*row["size"]),
                answer=row["answer"],
            )
            for row in json.loads(text)
        ]

    def samples(self) -> Sequence[Question]:
        """All of them, in the same order each time, each with an id of its own."""
        return self._samples

    def prompt(self, sample: Question) -> list[Message]:
        """What a model is sent: the picture, and the question in words."""
        picture = Picture(sample.observe().screenshot)
        return [Message("user", (picture, Text(f"{sample.instruction} Answer in one word.")))]

    def score(self, sample: Question, answer: str, *, space: str) -> Score:
        """How an answer did: 1 for a hit, 0 for a miss, None where it cannot be judged.

        The status is how it could be read: "ok"; "none" when it answers nothing, "ambiguous" when
        it answers two things, "out_of_range" when it answers what was not on offer. `parsed` and
        `detail` are kept in the log, as JSON. Nothing but the answer may change the score.
        """
        word = answer.strip().strip(".").lower()
        if not word:
            return Score(0.0, "none", detail={"reason": "no word is given"})
        return Score(float(word == sample.answer.lower()), "ok", parsed=word)


def load(source: str) -> Own:
    """The benchmark whose data is in the directory `source`."""
    return Own(Path(source))
