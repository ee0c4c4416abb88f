"""`--allow`: an action that is not allowed reaches no device, whoever told the agent to do it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from tapwright.cli.main import cli
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Point
from tapwright.core.observation import Observation
from tapwright.devices.allowance import Allowance, restrict
from tapwright.devices.device import keys_of
from tapwright.devices.fake import FakeDevice
from tapwright.environment.environment import Environment
from tapwright.environment.rollout import rollout
from tapwright.errors import UnsupportedActionError, UsageError
from tapwright.jobs.errors import LedgerError
from tapwright.tasks.checks import Unchecked
from tapwright.tasks.task import Task
from tapwright.workflows.devices import open_device
from tapwright.workflows.host import HostConfig

NEEDS: list[tuple[Action, str]] = [
    (actions.OpenApp(app="notes"), "apps"),
    (actions.Goto(url="https://example.org"), "addresses"),
    (actions.NewTab(url="https://example.org"), "addresses"),
    (actions.NewTab(), ""),
    (actions.Hotkey(keys=("control", "v")), "clipboard"),
    (actions.Hotkey(keys=("shift", "insert")), "clipboard"),
    (actions.Hotkey(keys=("meta", "c")), "clipboard"),
    (actions.Hotkey(keys=("ctrl", "V")), "clipboard"),
    (actions.Hotkey(keys=("Control_L", "Ins")), "clipboard"),
    (actions.KeyDown(key="cmd"), "clipboard"),
    (actions.Hotkey(keys=("control", "a")), ""),
    (actions.KeyDown(key="control"), "clipboard"),
    (actions.KeyDown(key="a"), ""),
    (actions.Tap(at=Point(0.5, 0.5)), ""),
    (actions.TypeText(text="v"), ""),
    (actions.Finish(), ""),
]


@pytest.mark.parametrize(("action", "word"), NEEDS)
def test_an_action_needs_the_word_for_it(action: Action, word: str) -> None:
    assert Allowance.parse("all").forbids(action) == ""
    assert Allowance.parse("none").forbids(action) == word
    assert Allowance.parse(f" {word.upper()}, downloads").forbids(action) == ""


def test_a_word_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="'wings' is nothing that can be allowed"):
        Allowance.parse("apps,wings")
    ended = CliRunner().invoke(cli, ["devices", "info", "--device", "fake", "--allow", "wings"])
    assert isinstance(ended.exception, UsageError)


def test_a_device_stays_what_it_is_but_for_what_it_refuses() -> None:
    plain, device = FakeDevice(), restrict(FakeDevice(), Allowance.parse("addresses"))
    assert isinstance(device, FakeDevice)
    assert (device.name, keys_of(device)) == (plain.name, keys_of(plain))
    device.perform(actions.Tap(at=Point(0.5, 0.5)))
    with pytest.raises(UnsupportedActionError, match="open_app is not allowed here") as caught:
        device.perform(actions.OpenApp(app=next(iter(plain.apps()), "notes")))
    assert caught.value.hint == "--allow addresses,apps lets an agent do it"


@pytest.mark.slow
def test_a_run_goes_on_as_bounded_as_it_began(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    words = ["eval", "run", "l3", "-m", "random", "--device", "fake", "--limit", "1", "-o", out]

    def end(*words: str) -> UsageError | LedgerError | None:
        error = CliRunner().invoke(cli, words).exception
        return error if isinstance(error, UsageError | LedgerError) else None

    assert end(*words, "--max-steps", "1", "--allow", " Apps,none") is None
    for given in ((), ("--allow", "all")):
        error = end("eval", "resume", out, *given)
        assert error is not None
        assert error.hint == "if you trust it: --allow apps"
    assert end("eval", "resume", out, "--allow", "apps") is None
    error = end(*words, "--max-steps", "1")
    assert isinstance(error, LedgerError)
    assert "config.allow was 'apps'" in str(error)


def test_where_nothing_is_played_nothing_is_allowed() -> None:
    words = ["eval", "run", "l1", "--data", "none", "-m", "random", "--allow", "none"]
    with pytest.raises(UsageError, match="--allow has no effect"):
        CliRunner().invoke(cli, words, catch_exceptions=False)


class Obedient:
    """Does what a screen told it: opens an app, and says that it is done."""

    name = "obedient"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        return Decision(actions.Finish() if history else actions.OpenApp(app="Notes"))


def test_what_an_agent_may_not_do_is_a_refused_step_of_its_attempt() -> None:
    device = open_device("phone", HostConfig(allow="none"))
    task = Task("t", "Look at the notes", (), Unchecked(), max_steps=3)
    with device:
        episode = asyncio.run(rollout(Obedient(), Environment(device, task)))
    assert "open_app is not allowed here" in episode.steps[0].refused
    assert episode.steps[1].observation.app == episode.steps[0].observation.app
