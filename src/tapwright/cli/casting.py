"""Who plays tasks: an agent by name, or a model with whatever helps it; as options and as data."""

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, get_args

import click
from pydantic import JsonValue

from tapwright.agents.errors import AgentConfigError
from tapwright.cli.options import convention_option, make_model
from tapwright.evaluate.errors import PlanError

if TYPE_CHECKING:
    from tapwright.agents.agent import Agent, AgentFactory
    from tapwright.agents.replay import ReplayCache
    from tapwright.models.model import Model
    from tapwright.tasks.task import Task

F = TypeVar("F", bound=Callable[..., Any])
Manners = Literal["plain", "mobiagent"]
Loops = Literal["off", "tell", "end"]


@dataclass(frozen=True, slots=True)
class Cast:
    """How the named agent plays, and who helps it. All but the convention is nothing by default.

    `grounder` and `planner` are models, "client/name", with the address of their server where it
    is another than the first model's. `replay` is the store whose successes are done again.
    """

    convention: str = "json"
    grounder: str = ""
    grounder_url: str = ""
    grounder_convention: str = "mobimind-grounder-qwen3"
    planner: str = ""
    planner_url: str = ""
    manners: Manners = "plain"
    history: str = "last:10"
    loops: Loops = "off"
    decision_seconds: float | None = None
    replay: str = ""

    @property
    def chosen(self) -> dict[str, JsonValue]:
        """What differs from the default, but for the convention."""
        usual = asdict(Cast())
        found = {name: value for name, value in asdict(self).items() if value != usual[name]}
        found.pop("convention", None)
        return found

    @classmethod
    def read(cls, convention: str, chosen: JsonValue) -> "Cast":
        """The cast that `chosen` came from.

        Raises:
            PlanError: it came from none.
        """
        keys = chosen if isinstance(chosen, dict) else {}
        strange = sorted(keys.keys() - {one.name for one in fields(cls)})
        if strange:
            raise PlanError(f"the run's cast has {strange[0]!r}, which this version does not know")
        return cls(convention, **cast(Any, keys))


@dataclass(frozen=True, slots=True)
class Playing:
    """How tasks (l3, l4, miniwob) are played: who helps the subject, the devices, the budgets."""

    cast: Cast = field(default_factory=Cast)
    device: str | None = None
    envs: int = 2
    max_steps: int | None = None
    max_s: float | None = None


def cast_options(command: F) -> F:
    """The options of a `Cast`, gathered with `gathered`."""
    for option in (
        click.option("--replay", type=click.Path(path_type=Path, file_okay=False), metavar="STORE",
                     help="Do successes in this store again while their targets are there, ask "
                     "where not, and keep new successes in it."),
        click.option("--decision-seconds", type=click.FloatRange(0, min_open=True),
                     help="Wall-clock time for each decision."),
        click.option("--loops", type=click.Choice(get_args(Loops)), default="off",
                     show_default=True, help="When it goes round in circles: tell it, or end the "
                     "attempt."),
        click.option("--history", default="last:10", show_default=True,
                     help="Earlier steps that a model is told: none, full, last:K, summaries:K, "
                     "pictures:K."),
        click.option("--manners", type=click.Choice(get_args(Manners)), default="plain",
                     show_default=True, help="How models are asked: plain, or as MobiAgent's "
                     "runner does (half the picture, 5 tries, each warmer)."),
        click.option("--planner", default="", metavar="CLIENT/MODEL",
                     help="The model that cuts a task into subtasks, one app each; its server may "
                     "be another: TAPWRIGHT_PLANNER_URL."),
        click.option("--grounder-convention", default="mobimind-grounder-qwen3",
                     show_default=True, help="Convention of the grounder."),
        click.option("--grounder", default="", metavar="CLIENT/MODEL",
                     help="The model that finds what the other one wants to touch; its server may "
                     "be another: TAPWRIGHT_GROUNDER_URL."),
        convention_option,
    ):  # fmt: skip
        command = option(command)
    return command


def gathered(options: dict[str, Any]) -> Cast:
    """The cast that the values of `cast_options` mean; they are taken out of `options`."""
    names = {one.name for one in fields(Cast)} & options.keys()
    found = {name: options.pop(name) for name in names}
    replay = found.pop("replay")
    for role in ("grounder", "planner"):
        if found[role]:
            found[f"{role}_url"] = os.environ.get(f"TAPWRIGHT_{role.upper()}_URL", "")
    return Cast(**found, replay="" if replay is None else str(replay))


class Company:
    """The agents that play, and the models behind them, which are to be closed.

    `model` is the one that the spec itself names, None for an agent without one.
    """

    def __init__(self, spec: str, cast: Cast, model: "Model | None" = None) -> None:
        """Open the models; `model` is the first of them if there is one already.

        Raises:
            AgentConfigError: the parts do not fit together.
            UnknownNameError: there is no agent, client or convention of a name.
            UsageError: the history policy is none.
        """
        strange = sorted({"grounder", "manners", "history"} & cast.chosen.keys())
        if strange and "/" not in spec:
            raise AgentConfigError(
                f"the agent {spec!r} asks no model, so --{strange[0]} means nothing",
                hint="name a model, such as openai/NAME",
            )
        self._spec = spec
        self._cast = cast
        self.model = model or (make_model(spec) if "/" in spec else None)
        self._grounder = _helper("grounder", cast.grounder, cast.grounder_url)
        self._planner = _helper("planner", cast.planner, cast.planner_url)
        self._cache = _cache(cast.replay)
        # Found out now, and not with the first task.
        self._decider = self._deciding()

    @property
    def config(self) -> dict[str, JsonValue]:
        """What of it makes results differ, for a run's header."""
        found: dict[str, JsonValue] = {}
        if self.model is not None:
            found |= {"convention": self._cast.convention, "model": dict(self.model.settings)}
        chosen = self._cast.chosen
        if chosen:
            found["cast"] = chosen
        for name, one in (("grounder", self._grounder), ("planner", self._planner)):
            if one is not None:
                found[name] = dict(one.settings)
        return found

    def make(self, task: "Task | None", seed: int) -> "Agent":
        """A fresh agent for an attempt."""
        from tapwright.agents.loops import LoopGuard
        from tapwright.agents.planning import PlanningAgent
        from tapwright.agents.replay import ReplayAgent
        from tapwright.agents.timeout import TimeoutAgent

        agent = self._decider(task, seed)
        if self._cast.loops != "off":
            # Inside the one that plans, which has words of its own for each subtask.
            agent = LoopGuard(agent, self._cast.loops)
        if self._planner is not None:
            agent = PlanningAgent(agent, self._planner)
        if self._cast.decision_seconds is not None:
            agent = TimeoutAgent(agent, self._cast.decision_seconds)
        return agent if self._cache is None else ReplayAgent(agent, self._cache)

    async def close(self) -> None:
        """Close the models' connections."""
        for one in (self.model, self._grounder, self._planner):
            if one is not None:
                await one.close()

    def _deciding(self) -> "AgentFactory":
        cast, model = self._cast, self.model
        if model is None:
            from tapwright.agents import agents

            return agents.get(self._spec)
        from tapwright.agents.grounder import Grounder
        from tapwright.agents.model import ModelAgent
        from tapwright.agents.query_policy import (
            DEFAULT_QUERY_POLICY,
            MOBIAGENT_GROUNDER_QUERY_POLICY,
            MOBIAGENT_QUERY_POLICY,
        )
        from tapwright.conventions import conventions
        from tapwright.conventions.history import HistoryPolicy

        plain = cast.manners == "plain"
        convention = conventions.get(cast.convention)
        pointing = conventions.get(cast.grounder_convention)
        history = HistoryPolicy.from_text(cast.history)

        def make(task: "Task | None", seed: int) -> ModelAgent:
            grounder = None
            if self._grounder is not None:
                policy = DEFAULT_QUERY_POLICY if plain else MOBIAGENT_GROUNDER_QUERY_POLICY
                grounder = Grounder(self._grounder, pointing, policy)
            policy = DEFAULT_QUERY_POLICY if plain else MOBIAGENT_QUERY_POLICY
            return ModelAgent(model, convention, history=history, policy=policy, grounder=grounder)

        make(None, 0)
        return make


def _helper(role: str, spec: str, url: str) -> "Model | None":
    """A second model. One on a server of its own is not sent the first one's key."""
    if not spec:
        return None
    if "/" not in spec:
        raise AgentConfigError(
            f"--{role} {spec}: expected a model, client and name", hint=f"--{role} openai/NAME"
        )
    if not url:
        return make_model(spec)
    key = os.environ.get(f"TAPWRIGHT_{role.upper()}_KEY", "")
    return make_model(spec, base_url=url, api_key=key)


def _cache(store: str) -> "ReplayCache | None":
    if not store:
        return None
    from tapwright.agents.replay import ReplayCache
    from tapwright.store.store import EpisodeStore

    return ReplayCache(EpisodeStore(Path(store)))
