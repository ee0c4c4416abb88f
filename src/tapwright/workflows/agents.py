"""Agents by name, or a model with whatever helps it: the configuration, and what builds them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from tapwright.agents.errors import AGENT_CONFIG
from tapwright.core.secret_destinations import Destination, NamedBy
from tapwright.errors import UnknownNameError
from tapwright.evaluate.errors import PlanError
from tapwright.workflows.host import HelperRole, HostConfig, ModelOptions
from tapwright.workflows.models import open_model

if TYPE_CHECKING:
    from pydantic import JsonValue

    from tapwright.agents.agent import Agent, AgentFactory
    from tapwright.agents.replay import ReplayCache
    from tapwright.evaluate.combination import RunCombination
    from tapwright.models.model import Model
    from tapwright.tasks.task import Task

__all__ = ["AgentBuilder", "AgentConfig", "LoopHandling", "QueryPolicyName", "open_builder"]

QueryPolicyName: TypeAlias = Literal["plain", "mobiagent"]
LoopHandling: TypeAlias = Literal["off", "warn", "end"]

# Run logs keep these names.
_OLDER_HISTORY = "last:10"
"""What the history of a played run was whose header does not name it."""
_LOG_NAMES = {"query_policy": "manners"}
_LOG_LOOPS: Mapping[str, str] = {"warn": "tell"}


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """How an agent plays, and what helps it. By default nothing does.

    `grounder` and `planner` are models, "client/name", with the address of their server where it
    differs from the first model's. `replay` is the store whose successes are replayed.
    """

    convention: str = "json"
    grounder: str = ""
    grounder_url: str = ""
    grounder_convention: str = "mobimind-grounder-qwen3"
    planner: str = ""
    planner_url: str = ""
    query_policy: QueryPolicyName = "plain"
    history: str = "full"
    loops: LoopHandling = "off"
    decision_seconds: float | None = None
    replay: str = ""

    @property
    def changed(self) -> tuple[str, ...]:
        """The names of the fields that differ from the default, but for the convention."""
        default = AgentConfig()
        return tuple(
            one.name
            for one in fields(self)
            if one.name != "convention" and getattr(self, one.name) != getattr(default, one.name)
        )

    def to_log(self) -> "dict[str, JsonValue]":
        """What differs from the default, but for the convention, as a run's header holds it."""
        values = {**asdict(self), "loops": _LOG_LOOPS.get(self.loops, self.loops)}
        return {_LOG_NAMES.get(name, name): values[name] for name in self.changed}

    @classmethod
    def from_log(
        cls, convention: str, entry: "JsonValue", *, played: bool = False
    ) -> "AgentConfig":
        """The configuration that a run's header holds; `played` by a model, or not.

        Raises:
            PlanError: it has a key of another version.
        """
        names = {_LOG_NAMES.get(one.name, one.name): one.name for one in fields(cls)}
        found = entry if isinstance(entry, dict) else {}
        unknown = sorted(found.keys() - names.keys())
        if unknown:
            raise PlanError(f"the run's agent has {unknown[0]!r}, which this version does not know")
        values = {names[name]: value for name, value in found.items()}
        for loops, logged in _LOG_LOOPS.items():
            if values.get("loops") == logged:
                values["loops"] = loops
        if played:
            values.setdefault("history", _OLDER_HISTORY)
        return cls(convention, **cast(Any, values))


class AgentBuilder:
    """Builds agents of one kind, and owns the models behind them; close it at the end.

    `model` is the one that the spec itself names, None for an agent without one.
    """

    def __init__(
        self,
        spec: str,
        config: AgentConfig,
        host: HostConfig,
        model: "Model | None" = None,
        max_pixels: int | None = None,
    ) -> None:
        """Open the models; `model` is the first of them if there is one already.

        It is shown screens of at most `max_pixels`, width times height; larger ones are scaled
        down.

        Raises:
            UsageError: the parts do not fit together.
            UnknownNameError: there is no agent, client or convention of a name.
            UsageError: there is no such history policy.
        """
        if config.grounder_convention != AgentConfig().grounder_convention and not config.grounder:
            raise AGENT_CONFIG(
                "grounder_convention has no effect without a grounder",
                hint="--plan grounder=CLIENT/MODEL",
            )
        unused = sorted({"grounder", "query_policy", "history"}.intersection(config.changed))
        if host.models.settings and not config.planner:
            unused.append("--set")
        if host.models.timeout_s and not config.planner:
            unused.append("--timeout")
        if unused and "/" not in spec:
            raise AGENT_CONFIG(
                f"the agent {spec!r} queries no model, so {unused[0]} has no effect",
                hint="name a model, such as openai/NAME",
            )
        self._spec = spec
        self._config = config
        self._max_pixels = max_pixels
        self.model = model or (open_model(spec, host) if "/" in spec else None)
        self._grounder = _open_helper("grounder", config.grounder, config.grounder_url, host)
        self._planner = _open_helper("planner", config.planner, config.planner_url, host)
        self._cache = _open_cache(config.replay)
        # Fails now, and not with the first task.
        self._build_decider = self._make_decider_factory()

    @property
    def log_config(self) -> "dict[str, JsonValue]":
        """What of it makes results differ, for a run's header."""
        entries: dict[str, JsonValue] = {}
        if self.model is not None:
            entries |= {"convention": self._config.convention, "model": dict(self.model.settings)}
        changed = self._config.to_log()
        if self.model is not None:
            changed["history"] = self._config.history
        if changed:
            entries["cast"] = changed
        for name, model in (("grounder", self._grounder), ("planner", self._planner)):
            if model is not None:
                entries[name] = dict(model.settings)
        return entries

    def build(self, task: "Task | None", seed: int) -> "Agent":
        """A fresh agent for an attempt."""
        from tapwright.agents.loops import LoopGuard
        from tapwright.agents.planning import PlanningAgent
        from tapwright.agents.replay import ReplayAgent
        from tapwright.agents.wrappers import TimeoutAgent

        config = self._config
        agent = self._build_decider(task, seed)
        if config.loops != "off":
            # Inside the planning agent, which words each subtask itself.
            agent = LoopGuard(agent, config.loops)
        if self._planner is not None:
            agent = PlanningAgent(agent, self._planner)
        if config.decision_seconds is not None:
            agent = TimeoutAgent(agent, config.decision_seconds)
        return agent if self._cache is None else ReplayAgent(agent, self._cache)

    async def close(self) -> None:
        """Close the models' connections."""
        for model in (self.model, self._grounder, self._planner):
            if model is not None:
                await model.close()

    def _make_decider_factory(self) -> "AgentFactory":
        config, model = self._config, self.model
        if model is None:
            return _find_agent(self._spec)
        from tapwright.agents.grounder import Grounder
        from tapwright.agents.model import ModelAgent
        from tapwright.agents.query_policy import (
            DEFAULT_QUERY_POLICY,
            MOBIAGENT_GROUNDER_QUERY_POLICY,
            MOBIAGENT_QUERY_POLICY,
        )
        from tapwright.conventions import conventions
        from tapwright.conventions.history import HistoryPolicy

        plain = config.query_policy == "plain"
        convention = conventions.get(config.convention)
        history = HistoryPolicy.from_text(config.history)

        def build(task: "Task | None", seed: int) -> ModelAgent:
            grounder = None
            if self._grounder is not None:
                policy = DEFAULT_QUERY_POLICY if plain else MOBIAGENT_GROUNDER_QUERY_POLICY
                grounder = Grounder(
                    self._grounder, conventions.get(config.grounder_convention), policy
                )
            policy = DEFAULT_QUERY_POLICY if plain else MOBIAGENT_QUERY_POLICY
            return ModelAgent(
                model,
                convention,
                history=history,
                policy=policy,
                grounder=grounder,
                max_pixels=self._max_pixels,
            )

        build(None, 0)
        return build


def open_builder(
    combination: "RunCombination", config: AgentConfig, host: HostConfig
) -> AgentBuilder:
    """The builder of the combination's agents, with its model; close it at the end."""
    if "/" not in combination.spec:
        return AgentBuilder(combination.spec, config, host)
    url = combination.base_url
    model = open_model(
        combination.spec,
        host,
        server=Destination(url, combination.named_by) if url else None,
        key_variable=combination.key,
        api_key=combination.secret or None,
        settings=combination.settings,
    )
    return AgentBuilder(combination.spec, config, host, model, combination.plan.max_pixels)


def _open_helper(role: HelperRole, spec: str, url: str, host: HostConfig) -> "Model | None":
    """A second model. One on a server of its own gets neither the first one's key nor settings."""
    if not spec:
        return None
    if "/" not in spec:
        raise AGENT_CONFIG(
            f"the {role} {spec}: expected a model, client and name",
            hint=f"--plan {role}=openai/NAME",
        )
    if not url:
        return open_model(spec, host)
    own = host.with_models(ModelOptions(timeout_s=host.models.timeout_s))
    server = Destination(url, NamedBy.ENVIRONMENT)
    return open_model(spec, own, server=server, api_key=host.helper_key(role, url))


def _open_cache(store: str) -> "ReplayCache | None":
    if not store:
        return None
    from tapwright.agents.replay import ReplayCache
    from tapwright.store.store import EpisodeStore

    return ReplayCache(EpisodeStore(Path(store)))


def _find_agent(name: str) -> "AgentFactory":
    """The agent called `name`.

    Raises:
        UnknownNameError: there is none; a model without its client, or a module, is told so.
    """
    from tapwright.agents import agents

    try:
        return agents.get(name)
    except UnknownNameError as error:
        module = name.removesuffix(".py")
        if Path(f"{module}.py").is_file():
            error.hint = f"an agent of your own is {module}:NAME, where NAME makes it"
        elif error.hint.startswith("known"):
            error.hint += f"; a model has its client before it, such as openai/{name}"
        raise
