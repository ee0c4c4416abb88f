import pytest

from tapwright.tasks.definitions.line_numbers import find_line
from tapwright.tasks.definitions.lint import can_end, lint
from tapwright.tasks.definitions.task import task_from_definition
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.errors import BadDefinitionError
from tapwright.tasks.events.tree import EventTree

WELL = """\
id: "a"
event_sources: { id: 1 log_event: { pattern: "x" } }
event_sources: [
  { id: 2 view_hierarchy_event: { selector: '#$"a"' properties: {
    property_name: "text" pattern: "y" } } },
  { id: 3 response_event: { pattern: "z" } }
]
event_slots: {
  reward_listener: {
    type: OR
    events: { event: { id: 4 events: { id: 1 } prerequisite: [2] transformation: "y = 1" } }
    events: [ { id: 2 }, {
      id: 3 } ]
    cache_until: [-1, 4]
  }
  episode_end_listener: { events: { id: 4 } transformation: "y = True" }
}
"""


def found(text: str) -> list[tuple[str, int]]:
    return [(finding.rule, find_line(text, finding.path)) for finding in lint(parse_task(text))]


def test_a_definition_that_is_well_has_no_findings() -> None:
    assert found(WELL) == []
    assert can_end(parse_task(WELL))


@pytest.mark.parametrize(
    ("was", "is_", "rule", "line"),
    [
        ("id: 1 log_event", "id: 2 log_event", "duplicate id", 4),
        ("id: 3 } ]", "id: 9 } ]", "unresolved id", 13),
        ("prerequisite: [2]", "prerequisite: [9]", "unresolved prerequisite", 11),
        ("[-1, 4]", "[-1, 8]", "unresolved id", 14),
        ('"x"', '"(x"', "bad event", 2),
        ('"y" }', '"(?P<y" }', "bad event", 4),
        ("'#$\"a\"'", "'#$'", "bad event", 4),
        ('response_event: { pattern: "z" }', "", "bad event", 6),
        ('"y = 1"', '"y = __import__"', "bad expression", 11),
        ("events: { id: 1 } prerequisite: [2]", "events: { id: 4 }", "cycle", 11),
    ],
)
def test_a_finding_names_the_line_and_the_event_tree_refuses_it(
    was: str, is_: str, rule: str, line: int
) -> None:
    assert WELL.count(was) == 1
    text = WELL.replace(was, is_)
    assert (rule, line) in found(text)
    with pytest.raises(BadDefinitionError):
        EventTree(parse_task(text))


def test_a_reply_without_words_is_told_with_its_line_and_no_task_is_made_of_it() -> None:
    text = WELL + 'tapwright {\n  replies: "the red one"\n  replies: " "\n}\n'
    assert found(text) == [("empty reply", 20)]
    with pytest.raises(BadDefinitionError, match="reply 2 of the user is empty"):
        task_from_definition(parse_task(text))


def test_an_event_that_nothing_asks_for_is_told_and_stops_nothing() -> None:
    text = WELL.replace("events: [ { id: 2 }, {\n      id: 3 } ]", "events: { id: 2 }\n")
    assert found(text) == [("unreachable", 6)]
    assert not any(finding.is_error for finding in lint(parse_task(text)))


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("", False),
        ("episode_end_listener { transformation: 'y = True' }", False),
        ("episode_end_listener { events { id: 1 } }", True),
        ("episode_end_listener { type: AND events { id: 1 } events { event {} } }", False),
        ("episode_end_listener { type: OR events { id: 1 } events { event {} } }", True),
        ("episode_end_listener { events { id: 7 } }", False),
        (
            "episode_end_listener { events { id: 1 } prerequisite: 2 } null_listener { id: 2 }",
            False,
        ),
    ],
)
def test_whether_a_task_can_end(end: str, expected: bool) -> None:
    text = f'event_sources {{ id: 1 log_event {{ pattern: "x" }} }} event_slots {{ {end} }}'
    assert can_end(parse_task(text)) == expected
    assert can_end(parse_task(f"{text} max_num_steps: 3"))


def test_a_long_chain_of_slots_is_looked_through_quickly() -> None:
    slots = "".join(
        f"events {{ event {{ id: {n} events {{ id: {n - 1} }} }} }} " for n in range(2, 5000)
    )
    text = (
        'event_sources { id: 1 log_event { pattern: "x" } } '
        f"event_slots {{ null_listener {{ type: OR {slots} }} "
        "episode_end_listener { events { id: 4999 } } }"
    )
    task = parse_task(text)
    assert lint(task) == []
    assert can_end(task)
