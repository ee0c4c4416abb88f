"""The workbench for GUI-agent data and evaluation.

The names to import first; each is loaded on first use. Play a task on a
device with an agent, store the episode, and read it again:

    >>> import asyncio
    >>> from tapwright import Environment, EpisodeStore, Task, agents, devices, rollout
    >>> from tapwright.tasks.checks import TreeShows, When
    >>> task = Task("press", "Get to button 2", apps=("fake",), check=When(TreeShows("Button 2")))
    >>> device = devices.get("fake")("live")
    >>> agent = agents.get("random")(task, seed=0)
    >>> store = EpisodeStore("episodes")
    >>> episode = asyncio.run(rollout(agent, Environment(device, task), store=store))
    >>> episode = store.read(episode.id)
    >>> episode.instruction, episode.agent
    ('Get to button 2', 'random')

`agents`, `benchmarks`, `conventions`, `devices`, `formats` and `models` are families: `get(NAME)`
returns a member, and a file of your own may be one (see docs/concepts/architecture.md). `suites`
holds the suites of tasks. The command line does the same: `tapwright --help`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tapwright import agents, benchmarks, conventions, devices, formats, models
    from tapwright.agents.agent import Agent
    from tapwright.benchmarks.benchmark import Benchmark
    from tapwright.conventions.convention import Convention
    from tapwright.core.actions import (
        Action,
        Answer,
        AskUser,
        ButtonDown,
        ButtonUp,
        CloseTab,
        DoubleTap,
        Drag,
        Finish,
        Goto,
        Hotkey,
        Hover,
        KeyDown,
        KeyUp,
        LongPress,
        NewTab,
        OpenApp,
        PressKey,
        Scroll,
        Swipe,
        SwitchTab,
        Tap,
        TripleTap,
        TypeText,
        Wait,
    )
    from tapwright.core.episode import Decision, Episode, Step
    from tapwright.core.geometry import Box, Point, Size
    from tapwright.core.messages import Message
    from tapwright.core.observation import Observation, UiTree
    from tapwright.core.screenshot import Screenshot
    from tapwright.devices.device import Device
    from tapwright.environment.environment import Environment
    from tapwright.environment.rollout import rollout
    from tapwright.errors import TapwrightError
    from tapwright.evaluate.run_log import RunLog, read_run
    from tapwright.formats.format import Format
    from tapwright.formats.loading.episodes import load
    from tapwright.formats.loading.torch_datasets import stream
    from tapwright.models.model import Model
    from tapwright.store.store import EpisodeStore
    from tapwright.tasks import suites
    from tapwright.tasks.task import Task

__all__ = [
    "Action", "Agent", "Answer", "AskUser", "Benchmark", "Box", "ButtonDown", "ButtonUp",
    "CloseTab", "Convention", "Decision", "Device", "DoubleTap", "Drag", "Environment", "Episode",
    "EpisodeStore", "Finish", "Format", "Goto", "Hotkey", "Hover", "KeyDown", "KeyUp", "LongPress",
    "Message", "Model", "NewTab", "Observation", "OpenApp", "Point", "PressKey", "RunLog",
    "Screenshot", "Scroll", "Size", "Step", "Swipe", "SwitchTab", "Tap", "TapwrightError", "Task",
    "TripleTap", "TypeText", "UiTree", "Wait", "__version__", "agents", "benchmarks", "conventions",
    "devices", "formats", "load", "models", "read_run", "rollout", "stream", "suites",
]  # fmt: skip

__version__ = "0.1.0"

# Imported on first use, so that `import tapwright` and `tapwright --help` stay quick.
_MODULES = {
    "tapwright": ("agents", "benchmarks", "conventions", "devices", "formats", "models"),
    "tapwright.core.actions": (
        "Action", "Answer", "AskUser", "ButtonDown", "ButtonUp", "CloseTab", "DoubleTap", "Drag",
        "Finish", "Goto", "Hotkey", "Hover", "KeyDown", "KeyUp", "LongPress", "NewTab", "OpenApp",
        "PressKey", "Scroll", "Swipe", "SwitchTab", "Tap", "TripleTap", "TypeText", "Wait",
    ),
    "tapwright.agents.agent": ("Agent",),
    "tapwright.benchmarks.benchmark": ("Benchmark",),
    "tapwright.conventions.convention": ("Convention",),
    "tapwright.devices.device": ("Device",),
    "tapwright.environment.environment": ("Environment",),
    "tapwright.environment.rollout": ("rollout",),
    "tapwright.core.episode": ("Decision", "Episode", "Step"),
    "tapwright.errors": ("TapwrightError",),
    "tapwright.evaluate.run_log": ("RunLog", "read_run"),
    "tapwright.formats.format": ("Format",),
    "tapwright.formats.loading.episodes": ("load",),
    "tapwright.formats.loading.torch_datasets": ("stream",),
    "tapwright.core.geometry": ("Box", "Point", "Size"),
    "tapwright.core.messages": ("Message",),
    "tapwright.models.model": ("Model",),
    "tapwright.core.observation": ("Observation", "UiTree"),
    "tapwright.core.screenshot": ("Screenshot",),
    "tapwright.store.store": ("EpisodeStore",),
    "tapwright.tasks": ("suites",),
    "tapwright.tasks.task": ("Task",),
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    for module, names in _MODULES.items():
        if name in names:
            if module == "tapwright":
                return import_module(f"tapwright.{name}")
            value: object = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'tapwright' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
