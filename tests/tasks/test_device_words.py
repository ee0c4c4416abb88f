"""What a definition asks for and the built-in phone never has is told, and nothing else is."""

import pytest

from tapwright.devices.phone.description import describe_apps, describe_state
from tapwright.devices.phone.device import Phone
from tapwright.tasks.definitions.device_words import DeviceWords, find_strangers
from tapwright.tasks.definitions.task import EventCheck
from tapwright.tasks.definitions.textproto import parse_task
from tapwright.tasks.task_files import read_suite
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
    found = list(find_strangers(parse_task(f"event_sources {{ id: 1 {source} }}"), WORDS))
    assert len(found) == bool(told)
    assert told in "".join(found)


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["phone", "phone-l3", "phone-l3-zh", "phone-l4", "phone-l4-zh"])
def test_the_phone_s_own_tasks_ask_for_nothing_strange(suite: str) -> None:
    with Phone.named("jpeg") as phone:
        phone.reset()
        details = [*describe_apps(), *describe_state(phone.state(""))]
    kinds = ("log", "state", "element")
    named = [frozenset(one.name for one in details if one.kind == kind) for kind in kinds]
    words = DeviceWords(*named)
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
