"""The screens that conventions are for, told by what their grammars can say."""

import pytest

from tapwright.conventions import conventions
from tapwright.conventions.screens import screen_kind

# By each family's own repository; what a grammar with the actions of both leaves open is "any".
_PHONES = (
    "qwen3-vl", "gui-owl", "autoglm", "glm-4.5v", "mai-ui", "scalecua-android", "step-gui",
)  # fmt: skip
_COMPUTERS = ("qwen3-vl-osworld", "opencua", "openai-computer", "gemini-computer", "kimi-k2.5")
_ANY = ("json", "android-tools", "aguvis", "os-atlas-web", "mobimind-grounder", "gta1")
_TOLD = {
    "ui-tars-1.0": "phone", "ui-tars-1.0-computer": "computer",
    "ui-tars-1.5": "phone", "ui-tars-1.5-computer": "computer",
    "doubao-1.5-ui-tars": "phone", "doubao-1.5-ui-tars-computer": "computer",
    "cogagent": "phone", "cogagent-win": "computer", "cogagent-mac": "computer",
    "mobimind-decider": "phone", "mobimind-e2e": "phone",
}  # fmt: skip


@pytest.mark.parametrize("name", _TOLD)
def test_a_prompt_for_one_platform_is_for_that_whatever_its_grammar_has(name: str) -> None:
    assert screen_kind(conventions.get(name)) == _TOLD[name]


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
