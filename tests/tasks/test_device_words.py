"""What a definition asks for and the built-in phone never has is told, and nothing else is."""

from pathlib import Path

import pytest

from tapwright.devices.phone.device import Phone
from tapwright.tasks.definitions.device_words import DeviceWords, find_strangers
from tapwright.tasks.definitions.log_messages import can_match
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.task_files import read_suite
from tapwright.workflows.phone_words import phone_words
from tests.cli.running import tapwright

WORDS = DeviceWords(
    frozenset({"NotesApp", "ShopApp"}),
    frozenset({"settings.wifi", "notes.items"}),
    frozenset({"search_bar", "kind_…"}),
)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (
            'log_event { filters: "notes:D" pattern: "x" }',
            "the tag 'notes'; did you mean 'NotesApp'",
        ),
        ('log_event { filters: "ShopApp:I" filters: "*:E" pattern: "x" }', ""),
        (
            'state_event { path: "setings.wifi" }',
            "no path 'setings.wifi'; did you mean 'settings.wifi'",
        ),
        ('state_event { path: "settings" }', ""),
        ('state_event { path: "notes.items.0.title" }', ""),
        (
            "view_hierarchy_event { selector: '#\"x:id/serch_bar\"' }",
            "id 'serch_bar'; did you mean",
        ),
        ("view_hierarchy_event { selector: '#$\"search_bar\"' }", ""),
        ("view_hierarchy_event { selector: '#\"kind_tea\" > @2' }", ""),
    ],
)
def test_a_word_that_the_device_never_has_is_told_with_the_nearest(source: str, told: str) -> None:
    ends = _ENDS.format("events { id: 1 }")
    found = list(find_strangers(parse_task(f"event_sources {{ id: 1 {source} }} {ends}"), WORDS))
    found = [one for one in found if "never be reached" not in one]
    assert len(found) == bool(told)
    assert told in "".join(found)


MESSAGES = (
    'search query="…" found=…', "timer_paused|started id=…", "…_changed enabled=…",
    'note_saved id=… title="…"',
)  # fmt: skip


@pytest.mark.parametrize(
    ("pattern", "can"),
    [
        ("search query", True),
        ('^search query="milk tea" found=[1-9]', True),
        ('query="(.*)"', True),
        ("milk", True),
        ("(?i)SEARCH QUERY=", True),
        (r"timer_(paused|started) id=(\d+)", True),
        ("timer_started", True),
        ("dark_theme_changed enabled=true", True),
        ('note_saved.*title="(Milk|Tea)"', True),
        ("searched for (.*)", False),
        ("search query: .*", False),
        ("timer_resumed id=", False),
        ("saved note", False),
        ("SEARCH QUERY=", False),
        ('title="Bread"', False),
        ("dark theme changed", False),
        ("((a|b)(c|d)(e|f)){9}nothing", True),  # too many ways to tell
    ],
)
def test_a_message_that_is_never_logged_is_told(pattern: str, can: bool) -> None:
    assert can_match(pattern, MESSAGES, "buy milk tea. milk, tea") is can


_ON_AND_OFF = "".join(
    f'event_sources {{ id: {id_} state_event {{ path: "settings.wifi" '
    f"equals {{ bool_value: {value} }} }} }} "
    for id_, value in ((1, "true"), (2, "false"))
)
_ENDS = "event_slots {{ episode_end_listener {{ {} }} }}"


@pytest.mark.parametrize(
    ("events", "told"),
    [
        (
            _ON_AND_OFF + _ENDS.format("type: AND events { id: 1 } events { id: 2 }"),
            ["want settings.wifi to be two values in one step", "never be reached"],
        ),
        (
            _ON_AND_OFF
            + _ENDS.format(
                "type: AND events { id: 1 } events { event { events { id: 2 } cache_until: -1 } }"
            ),
            [],  # one after the other
        ),
        (
            'event_sources { id: 1 log_event { filters: "MailApp" pattern: "x" } }'
            "event_sources { id: 2 finish_event { } }" + _ENDS.format("type: OR events { id: 1 }"),
            ["tag 'MailApp'", "never be reached"],
        ),
        (
            'event_sources { id: 1 log_event { filters: "MailApp" pattern: "x" } }'
            "event_sources { id: 2 finish_event { } }"
            + _ENDS.format("type: OR events { id: 1 } events { id: 2 }"),
            ["tag 'MailApp'"],
        ),
        (
            "event_sources { id: 1 view_hierarchy_event { selector: '#\"search_bar\"' "
            'properties { property_name: "left" sign: GE floating: 0.5 } '
            'properties { property_name: "left" sign: LT floating: 0.5 } } }'
            + _ENDS.format("events { id: 1 }"),
            ["contradict each other", "never be reached"],
        ),
        (
            "event_sources { id: 1 finish_event { } } event_slots { score_listener "
            "{ events { id: 1 } } } max_num_steps: 5",
            ["never be a success"],
        ),
    ],
)
def test_a_goal_that_can_never_be_reached_is_told(events: str, told: list[str]) -> None:
    found = list(find_strangers(parse_task(events), WORDS))
    assert len(found) == len(told), found
    assert all(words in line for words, line in zip(told, found, strict=True))


@pytest.mark.slow
def test_the_steps_of_a_task_file_are_looked_at_together(tmp_path: Path) -> None:
    (tmp_path / "find.textproto.template").write_text(
        'id: "find"\ncommand: "Find <what>"\n'
        'event_sources { id: 1 log_event { filters: "ShopApp:D" pattern: "searched <what>" } }\n'
        "event_slots { episode_end_listener { events { id: 1 } transformation: 'y = True' } }\n"
    )
    (tmp_path / "find-tea.conf").write_text("what: tea\n")
    (tmp_path / "tea.task").write_text("find-tea\n")
    words = ("tasks", "check", "tea.task", "-p", ".", "--device", "phone", "--format", "json")
    run = tapwright(*words, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "no message of ShopApp is like 'searched tea'" in run.stdout
    assert "the goal can never be reached" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["phone", "phone-l3", "phone-l3-zh", "phone-l4", "phone-l4-zh"])
def test_the_phone_s_own_tasks_ask_for_nothing_strange(suite: str) -> None:
    with Phone.named("jpeg") as phone:
        phone.reset()
        words = phone_words(phone.state(""))
    for task in read_suite(suite):
        assert isinstance(task.check, EventCheck)
        assert list(find_strangers(task.check.definition, words)) == [], task.id


@pytest.mark.slow
def test_what_the_phone_s_apps_log_and_keep_is_listed() -> None:
    run = tapwright("devices", "describe", "phone", "--app", "shop", "--format", "json")
    assert run.returncode == 0, run.stderr
    assert '"example": "search query=\\"…\\" found=…"' in run.stdout
    assert '"name": "search_bar"' in run.stdout
    assert '"name": "shop.searches"' in run.stdout
    run = tapwright("devices", "describe", "phone", "--app", "stop")
    assert run.returncode == 2
    assert "no app 'stop'" in run.stderr
