"""Conventions on the wrong kind of screen, before anything is opened or asked."""

import pytest

from tapwright.errors import UsageError
from tapwright.workflows.agents import AgentConfig
from tapwright.workflows.screen_fit import refuse_misfit
from tests.cli.running import tapwright

_MODEL = "openai/mine"


@pytest.mark.parametrize(
    ("convention", "device", "told", "fitting"),
    [
        ("qwen3-vl", "desktop:1920x1080", "a phone", "qwen3-vl-computer"),
        ("ui-venus-1.0", "web:https://example.org,1280x800", "a phone", "json"),
        ("ui-tars-1.5", "desktop", "a phone", "ui-tars-1.5-computer"),
        ("cogagent-win", "phone", "a computer", "cogagent"),
        ("gui-owl", "sites:trac", "a phone", "gui-owl-computer"),
        ("glm-4.5v", "osworld:http://127.0.0.1:5000", "a phone", "glm-4.5v-computer"),
        ("scalecua", "phone:zh", "a computer", "scalecua-android"),
        ("anthropic-computer", "adb:pixel", "a computer", "json"),
        ("qwen2.5-vl-computer", "web:https://example.org,phone", "a computer", "qwen2.5-vl"),
    ],
)
def test_a_convention_for_the_other_kind_of_screen_is_refused_with_those_that_fit(
    convention: str, device: str, told: str, fitting: str
) -> None:
    with pytest.raises(UsageError, match=f"{convention} is for {told}") as raised:
        refuse_misfit(_MODEL, AgentConfig(convention), (device,))
    assert repr(device) in str(raised.value)
    assert raised.value.hint is not None
    assert fitting in raised.value.hint.replace(";", "").split()


@pytest.mark.parametrize(
    ("spec", "convention", "device"),
    [
        (_MODEL, "qwen3-vl", "phone:tablet"),
        (_MODEL, "qwen3-vl-computer", "desktop"),
        (_MODEL, "json", "desktop"),
        (_MODEL, "ui-tars-1.5-computer", "web:https://example.org"),
        (_MODEL, "aguvis", "web:https://example.org"),
        (_MODEL, "qwen3-vl", "web:https://example.org,phone"),
        (_MODEL, "qwen3-vl", "remote:ws://127.0.0.1:8790/a"),
        (_MODEL, "qwen3-vl", "webdriver:http://127.0.0.1:4723"),
        (_MODEL, "qwen3-vl", "mine.devices:Kiosk"),
        ("script", "qwen3-vl", "desktop"),
    ],
)
def test_what_fits_or_cannot_be_told_is_taken(spec: str, convention: str, device: str) -> None:
    refuse_misfit(spec, AgentConfig(convention), (device,))


def test_of_several_devices_each_must_fit() -> None:
    with pytest.raises(UsageError, match="'desktop'"):
        refuse_misfit(_MODEL, AgentConfig("qwen3-vl"), ("phone", "desktop"))


@pytest.mark.parametrize(
    "command",
    [
        ("record", "--suite", "desktop-l3", "--task", "pad_append_milk", "--agent", _MODEL),
        ("eval", "run", "l3", "--data", "desktop-l3", "-m", _MODEL),
    ],
)
def test_commands_refuse_it_and_write_nothing(
    command: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("misfit") / "out"
    run = tapwright(*command, "--device", "desktop", "--convention", "qwen3-vl", "-o", str(out))
    assert (run.returncode, run.stdout) == (2, "")
    assert "hint: --convention qwen3-vl-computer" in run.stderr
    assert not out.exists()
