import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tapwright.core.episode import Step
from tapwright.core.messages import Message, Text
from tapwright.core.observation import Observation
from tapwright.formats.errors import BadTrainingSetError
from tapwright.formats.exporters.llamafactory import LLAMAFACTORY, LLAMAFACTORY_ALPACA
from tapwright.formats.exporters.training_set import DroppedStep, SftSettings
from tests.formats.training_sets import TWO, MultiTurn, export, rows

GOLDEN = Path(__file__).parents[1] / "golden" / "llamafactory"


@pytest.fixture
def golden(tmp_path: Path) -> Path:
    """The golden sets, with a picture in each place."""
    shutil.copytree(GOLDEN, tmp_path / "golden")
    directory = tmp_path / "golden"
    info = json.loads((directory / "dataset_info.json").read_text())
    del info["tapwright_alpaca"]
    (directory / "dataset_info.json").write_text(json.dumps(info))
    (directory / "images").mkdir()
    for number in range(4):
        (directory / "images" / f"{number}.png").write_bytes(b"a picture")
    return directory


def test_sets_that_the_trainer_takes_are_passed(golden: Path) -> None:
    assert LLAMAFACTORY.check(golden) == 8


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"role": "user"', '"role": "assistant"', "turn 0 is by 'assistant'; expected user or"),
        ('"role": "user"', '"role": "system"', "1 turns; expected an even number"),
        ("<image>Task", "Task", "0 times <image>, and 1 images"),
        ("<image>Task", "<image><image>Task", "2 times <image>, and 1 images"),
        ("<image>Task", "<image><video>Task", "a video or a sound"),
        ("images/0.png", "images/9.png", "the file images/9.png is missing"),
        ("images/0.png", "../images/0.png", "is not below the data set"),
        ("images/0.png", "/images/0.png", "is not below the data set"),
        ("[", "", "not JSON"),
    ],
)
def test_what_the_trainer_would_skip_is_told(
    golden: Path, old: str, new: str, problem: str
) -> None:
    path = golden / "tapwright_sharegpt.json"
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(BadTrainingSetError) as caught:
        LLAMAFACTORY.check(golden)
    assert problem in str(caught.value)
    assert "tapwright_sharegpt.json" in str(caught.value)


def test_a_column_that_is_not_named_is_not_read(golden: Path) -> None:
    path = golden / "dataset_info.json"
    info = json.loads(path.read_text())
    del info["tapwright_tools"]["columns"]["images"]
    path.write_text(json.dumps(info))
    with pytest.raises(BadTrainingSetError, match="1 times <image>, and 0 images"):
        LLAMAFACTORY.check(golden)


def test_alpaca_asks_in_one_text_and_keeps_the_system_apart(tmp_path: Path) -> None:
    export(LLAMAFACTORY_ALPACA, TWO, tmp_path / "sft")
    first = rows(tmp_path / "sft" / "train.json")[0]
    assert first["instruction"].endswith("The screen now:<image>")
    assert first["input"] == ""
    assert json.loads(first["output"])["action"] == {"type": "tap", "at": [250, 750]}
    assert first["system"].startswith("You operate a phone")
    info = json.loads((tmp_path / "sft" / "dataset_info.json").read_text())
    assert info["tapwright_train"]["formatting"] == "alpaca"


def test_alpaca_is_given_no_earlier_answers_as_it_would_teach_them(tmp_path: Path) -> None:
    report = export(LLAMAFACTORY_ALPACA, TWO, tmp_path / "sft", SftSettings(MultiTurn()))
    assert report.dropped == (
        DroppedStep("a", 1, "its prompt has a turn by assistant, which alpaca trains on"),
    )


def test_turns_of_one_speaker_are_joined(tmp_path: Path) -> None:
    class Twice(MultiTurn):
        def prompt(
            self, instruction: str, history: Sequence[Step], observation: Observation
        ) -> list[Message]:
            asked = super().prompt(instruction, history, observation)
            return [*asked, Message("user", (Text("Well?"),))] if history else asked

    report = export(LLAMAFACTORY, TWO, tmp_path / "sft", SftSettings(Twice()))
    assert report.dropped == ()
