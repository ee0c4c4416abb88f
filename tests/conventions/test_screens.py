"""The screens that conventions are for, told by what their grammars can say."""

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.screens import screen_kind

# By each family's own repository; what a grammar with the actions of both leaves open is "any".
_PHONES = ("qwen3-vl", "gui-owl", "autoglm", "glm-4.5v", "mai-ui", "scalecua-android", "step-gui")
_COMPUTERS = ("qwen3-vl-osworld", "opencua", "openai-computer", "gemini-computer", "kimi-k2.5")
_ANY = ("json", "android-tools", "ui-tars-1.5", "aguvis", "os-atlas-web", "cogagent", "gta1")


@pytest.mark.parametrize("name", _PHONES)
def test_a_grammar_with_a_phones_actions_alone_is_for_phones(name: str) -> None:
    assert screen_kind(conventions.get(name)) == "phone"


@pytest.mark.parametrize("name", _COMPUTERS)
def test_a_grammar_with_a_computers_actions_alone_is_for_computers(name: str) -> None:
    assert screen_kind(conventions.get(name)) == "computer"


@pytest.mark.parametrize("name", _ANY)
def test_a_grammar_that_has_both_or_finds_elements_is_for_any_screen(name: str) -> None:
    assert screen_kind(conventions.get(name)) == "any"


def test_what_its_repository_calls_a_computers_is_never_taken_for_a_phones() -> None:
    named = [name for name in conventions.names() if name.endswith(("-computer", "-osworld"))]
    assert {screen_kind(conventions.get(name)) for name in named} == {"computer"}
