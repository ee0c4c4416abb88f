from pathlib import Path

import pytest

from tapwright.tasks.definitions.textproto import format_task, parse_task, read_task
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.limits import MAX_FILE_BYTES

GOLDEN = Path(__file__).parents[1] / "golden/mobile_env_events"
FILES = sorted(GOLDEN.glob("*/task.textproto"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.parent.name))
def test_a_definition_survives_the_trip_through_text(path: Path) -> None:
    task = read_task(path)
    assert parse_task(format_task(task)) == task


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('id: "a"\n  idd: "b"', "line 2, column 3: .*Task.* has no field named .*idd"),
        ("\nid: 3", "line 2, column 5: .*Expected string"),
        ('id: "a', "line 1"),
        ("event_slots {", "line 1"),
        ("event_sources { repeatability: OFTEN }", "no value named OFTEN"),
        ("event_slots { null_listener {" + " events { event {" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_definition_is_told_with_its_place(text: str, words: str) -> None:
    with pytest.raises(BadDefinitionError, match=words):
        parse_task(text, origin="a.textproto")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("event_source { }", "did you mean 'event_sources'?"),
        ("event_slots { null_listener { type: ORR } }", "did you mean 'OR'?"),
        ("event_slots { null_listener { type: NEVER } }", "known: AND, OR, SINGLE"),
    ],
)
def test_a_word_that_was_misspelled_is_suggested(text: str, hint: str) -> None:
    with pytest.raises(BadDefinitionError) as caught:
        parse_task(text)
    assert caught.value.hint == hint


def test_a_file_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    large, binary = tmp_path / "large", tmp_path / "binary"
    with large.open("wb") as file:
        file.truncate(100_000_000)
    binary.write_bytes(b'id: "a"\n\xff')
    for path, words in (
        (large, f"larger than {MAX_FILE_BYTES:,}"),
        (binary, "line 2: the byte 0x.. is not UTF-8"),
        (tmp_path / "none", "no such task definition"),
        (tmp_path, "cannot be read"),
    ):
        with pytest.raises(BadDefinitionError, match=words):
            read_task(path)


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.textproto"
    path.write_bytes(b'\xef\xbb\xbfid: "a"')
    assert read_task(path).id == "a"
