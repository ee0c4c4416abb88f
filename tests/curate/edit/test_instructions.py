from pathlib import Path

import pytest

from tapwright.curate.edit.instructions import find_instructions, task_instructions
from tapwright.errors import NothingFoundError, TaskError
from tapwright.tasks.definitions.textproto import parse_task

GOLDEN = Path(__file__).parents[2] / "golden" / "mobile_env_pickles" / "tasks"


def test_the_instructions_of_a_recorded_task_are_those_that_the_original_offers() -> None:
    # A slot without children of its own is passed over, a lone string is one instruction.
    assert find_instructions(GOLDEN, "open_note_1") == (
        ("First, open it",),
        ("Then close it",),
        ("Say", "done"),
    )
    assert find_instructions(GOLDEN, "note-open")


def test_a_task_that_is_not_there_is_told() -> None:
    with pytest.raises(NothingFoundError, match="'nowhere'"):
        find_instructions(GOLDEN, "nowhere")


@pytest.mark.parametrize(
    "said",
    [
        "y = __import__('os').getcwd()",
        "y = 1",
        "z = 'a'",
        "",
        "y = [1]",
        "y =",
        "y = " + "-" * 9999,
    ],
)
def test_a_transformation_is_read_and_never_run(said: str) -> None:
    task = parse_task(
        "event_slots { instruction_listener { type: OR events { event { events { id: 1 } "
        f'transformation: "{said}" }} }} }} }}'
    )
    with pytest.raises(TaskError, match="does not say its instructions outright"):
        task_instructions(task)
