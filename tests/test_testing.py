import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Self

import pytest

from tapwright.agents import agents
from tapwright.agents.agent import Agent
from tapwright.agents.model import ModelAgent
from tapwright.conventions import conventions
from tapwright.conventions.json import JSON_CONVENTION, JsonConvention
from tapwright.conventions.screens import screen_kind
from tapwright.core.actions import Action, Answer, Finish, Tap, TypeText, Wait
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.observation import Observation
from tapwright.core.task_setup import SetupCall
from tapwright.devices import devices
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.programs import find_programs
from tapwright.devices.device import Device
from tapwright.devices.fake import FakeDevice, painted_scene
from tapwright.devices.osworld.connection import Address
from tapwright.devices.osworld.device import OsWorldDevice
from tapwright.devices.osworld.server import OsWorldServer
from tapwright.devices.remote.device import open_remote
from tapwright.devices.replay import ReplayDevice
from tapwright.devices.sites.device import SitesDevice
from tapwright.devices.webdriver.device import open_webdriver
from tapwright.environment.environment import Environment, Info
from tapwright.errors import DeviceError, UnsupportedByConventionError
from tapwright.models import models
from tapwright.models.scripted import ScriptedModel
from tapwright.tasks.checks import TreeShows, When
from tapwright.tasks.solution import PerformAction, TouchElement
from tapwright.tasks.task import Task
from tapwright.testing import (
    DeviceServer,
    FakeChatServer,
    FakeWebDriver,
    check_agent,
    check_convention,
    check_device,
    check_environment,
    check_model,
)
from tapwright.testing.errors import ConformanceError
from tapwright_adb_simulator import AdbPhone, AdbServer
from tests.models.test_provider_wires import CLIENTS, KEY, ProviderServer, said
from tests.sites.installed import HOME, need

TASK = Task(
    id="press",
    instruction="Get to button 2",
    apps=("fake",),
    check=When(TreeShows("Button 2")),
    max_steps=5,
    solution=(TouchElement(text="Button 0"), PerformAction(Wait())),
)
TAP = '{"reasoning": "r", "target": "t", "action": {"type": "tap", "at": [500, 400]}}'


def replay() -> Device:
    device = FakeDevice()
    first = device.observe()
    device.perform(Wait())
    steps = (Step(first, Decision(Tap(at=Point(0.5, 0.4)))),)
    return ReplayDevice(Episode("e", "t", "Go", steps, final=device.observe()))


def trac() -> Device:
    need("trac")
    return SitesDevice(["trac"], home=HOME)


class ServedDesktop(OsWorldDevice):
    """A machine of OSWorld's protocol: a desktop that is served, and goes when it is closed."""

    def __init__(self) -> None:
        with ExitStack() as stack:
            server = stack.enter_context(OsWorldServer(stack.enter_context(Desktop())))
            super().__init__(Address.read(server.url))
            self._behind = stack.pop_all()

    def close(self) -> None:
        super().close()
        self._behind.close()


class OverAdb(AndroidPhone):
    """A phone of one screen at the other end of the real adb, which goes when it is closed."""

    def __init__(self) -> None:
        with ExitStack() as stack:
            server = stack.enter_context(AdbServer())
            phone = stack.enter_context(AdbPhone(FakeDevice([painted_scene(0)])))
            client = AdbClient(port=server.port)
            super().__init__(PhoneShell(client, server.connect(phone.address)))
            self._behind = stack.pop_all()

    def close(self) -> None:
        super().close()
        self._behind.close()


DEVICES: dict[str, Callable[[], Device]] = {
    "adb": OverAdb,
    "fake": FakeDevice,
    "replay": replay,
    "osworld": ServedDesktop,
    "sites": trac,
}


def opened(name: str) -> Device:
    if name in (
        "desktop",
        "osworld",
    ):  # its programs are Debian's; tests/devices/desktop has its laws
        try:
            find_programs()
        except DeviceError as error:
            pytest.skip(str(error))
    return (DEVICES.get(name) or devices.get(name))()


def model_agent(task: Task | None, seed: int) -> Agent:
    return ModelAgent(ScriptedModel([TAP]), JSON_CONVENTION)


def marked(names: Iterable[str]) -> list[object]:
    """The names, with those that take a second or more marked slow."""
    slow = {"sites", "transformers"}
    return [pytest.param(one, marks=[pytest.mark.slow] if one in slow else []) for one in names]


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    """What the devices of other machines need."""
    with DeviceServer({"fake": FakeDevice}) as server, FakeWebDriver("ios") as screen:
        DEVICES["webdriver"] = lambda: open_webdriver(screen.url)
        DEVICES["remote"] = lambda: open_remote(server.url("fake") + "?wait_s=10")
        yield


@pytest.mark.parametrize("name", marked(devices.names()))
@pytest.mark.slow_but_one
def test_every_registered_device_keeps_the_laws(name: str) -> None:
    with opened(name) as device:
        check_device(device)


@pytest.mark.parametrize("name", marked(devices.names()))
@pytest.mark.slow_but_one
def test_an_environment_on_every_registered_device_keeps_the_rules(name: str) -> None:
    with Environment(opened(name), TASK) as environment:
        check_environment(environment)


@pytest.mark.parametrize("name", conventions.names())
def test_every_registered_convention_keeps_the_laws(name: str) -> None:
    check_convention(conventions.get(name))


@pytest.mark.parametrize("name", marked(models.names()))
@pytest.mark.slow_but_one
def test_every_registered_model_client_keeps_the_laws(
    name: str, tiny_model: Path, tmp_path: Path
) -> None:
    if name == "vllm":
        pytest.importorskip("vllm", reason="it needs a GPU")
    if name == "litellm":
        pytest.importorskip("litellm", reason="it shares no environment with the other extras")
    if name in CLIENTS:
        asyncio.run(check_provider(name))
        return
    model = str(tiny_model) if name in ("transformers", "vllm") else "any"
    if name == "words":
        aim = {"instruction": "Reply", "bbox": [0, 0, 10, 10], "image_size": [100, 200]}
        model = str(tmp_path)
        (tmp_path / "L2_annotations.json").write_text(json.dumps([aim]), encoding="utf-8")
    with FakeChatServer(["word"]) as server:
        asyncio.run(check_model(models.get(name)(model, base_url=server.base_url)))


async def check_provider(name: str) -> None:
    async with ProviderServer(said("word")[name]) as server:
        await check_model(models.get(name)("any", base_url=server.url, api_key=KEY))


@pytest.mark.parametrize("name", [*agents.names(), "model"])
def test_every_registered_agent_keeps_the_laws(name: str) -> None:
    make = model_agent if name == "model" else agents.get(name)
    with Environment(FakeDevice(), TASK) as environment:
        asyncio.run(check_agent(make, environment))


class Chatty(FakeDevice):
    def perform(self, action: Action) -> None:
        self.performed.append(action)


class Drifting(FakeDevice):
    def reset(self, **given: object) -> None:
        pass


def test_a_device_that_takes_an_answer_for_a_gesture_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="`answer` is for the user"):
        check_device(Chatty())


def test_a_device_that_does_not_start_over_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="the same reset gives the same"):
        check_device(Drifting())


class Sticky(FakeDevice):
    def let_go(self) -> Sequence[str]:
        return [*self._down]


def test_a_device_that_does_not_let_keys_go_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="what was let go is not down"):
        check_device(Sticky())


class Obliging(FakeDevice):
    def set_up(self, call: SetupCall) -> None:
        pass


def test_a_device_that_takes_any_set_up_call_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="a set-up call that it does not know"):
        check_device(Obliging())


class Shrunk(FakeDevice):
    def observe(self) -> Observation:
        return replace(super().observe(), size=Size(135, 300), ui_tree=None)


def test_a_device_whose_picture_is_not_of_the_screens_size_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="the picture has the 135x300 pixels"):
        check_device(Shrunk())


class Endless(Environment):
    def step(
        self, action: Action | Sequence[Action]
    ) -> tuple[Observation, float, bool, bool, Info]:
        return self.device.observe(), 0.0, False, False, {"score": 0.0, "instructions": ()}


class Both(Environment):
    def step(
        self, action: Action | Sequence[Action]
    ) -> tuple[Observation, float, bool, bool, Info]:
        seen, reward, terminated, truncated, info = super().step(action)
        return seen, reward, terminated, terminated or truncated, info


def test_an_environment_that_takes_a_step_before_its_reset_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="before the first `reset`"):
        check_environment(Endless(FakeDevice(), TASK))


def test_an_environment_that_ends_in_two_ways_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="not truncated"):
        check_environment(Both(FakeDevice(), TASK))


class Crooked(JsonConvention):
    def parse(self, text: str, size: Size) -> Decision:
        read = super().parse(text, size)
        if isinstance(read.action, Tap):
            at = Point(read.action.at.y, read.action.at.x)
            return Decision(read.action.model_copy(update={"at": at}))
        return read


class Lenient(JsonConvention):
    def parse(self, text: str, size: Size) -> Decision:
        return super().parse(text, size) if text.startswith('{"') else Decision(Wait())


class Careless(JsonConvention):
    def parse(self, text: str, size: Size) -> Decision:
        read = super().parse(text, size)
        return Decision(Finish()) if isinstance(read.action, Finish) else read


class Lefthanded(JsonConvention):
    def parse(self, text: str, size: Size) -> Decision:
        read = super().parse(text, size)
        return Decision(Tap(at=read.action.at)) if isinstance(read.action, Tap) else read


class Deaf(JsonConvention):
    """It writes each click as a left one, so its words are no computer's."""

    def render(self, decision: Decision, size: Size) -> str:
        match decision.action:
            case Tap(at=at):
                return super().render(Decision(Tap(at=at)), size)
            case TypeText() | Finish():
                return super().render(decision, size)
        raise UnsupportedByConventionError("it has no words for that")


class Halving(JsonConvention):
    def parse(self, text: str, size: Size) -> Decision:
        read = super().parse(text.replace("\ud83d", ""), size)
        return Decision(read.action, "\ud83d") if "\ud83d" in text else read


class Blind(JsonConvention):
    def prompt(self, *given: object) -> list[object]:  # type: ignore[override]
        return []


@pytest.mark.parametrize(
    ("convention", "law"),
    [
        (Crooked(), "it reads Tap"),
        (Lenient(), "'' is not an answer"),
        (Careless(), "it reads Finish(type='finish', outcome='failure'"),
        (Lefthanded(), "button='right'"),
        (Deaf(), "or `render` refuses it by UnsupportedByConventionError; found Tap"),
        (Halving(), "half a character is not handed on"),
        (Blind(), "a prompt has a message"),
    ],
)
def test_a_convention_that_breaks_a_law_is_found_out(convention: JsonConvention, law: str) -> None:
    with pytest.raises(ConformanceError) as caught:
        check_convention(convention)
    assert law in str(caught.value)


def test_words_that_tell_no_button_are_no_computers() -> None:
    assert screen_kind(Deaf()) == "any"


def test_what_a_member_lacks_is_named() -> None:
    class Half:
        name, space = "half", "pixel"

    with pytest.raises(ConformanceError, match=r"missing: parse, prompt, render, source$"):
        check_convention(Half())  # type: ignore[arg-type]
    with pytest.raises(ConformanceError, match="is no class but one of it"):
        check_convention(JsonConvention)  # type: ignore[arg-type]


class Fickle:
    name = "fickle"
    made = 0

    @classmethod
    def for_task(cls, task: Task | None, seed: int) -> Self:
        Fickle.made += 1
        return cls()

    async def act(self, *given: object) -> Decision:
        return Decision(Answer(text=str(Fickle.made)))


def test_an_agent_that_does_not_keep_to_its_seed_is_found_out() -> None:
    with pytest.raises(ConformanceError, match="the same seed gives the same decisions"):
        asyncio.run(check_agent(Fickle.for_task, Environment(FakeDevice(), TASK)))
