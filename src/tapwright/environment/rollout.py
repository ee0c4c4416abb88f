"""The one loop: an agent in an environment makes an episode.

Each step is durable before the agent decides on the next one.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar

from tapwright.agents.agent import Agent, check_decision
from tapwright.agents.wrappers import pass_apps, report_episode
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step, describe_actions
from tapwright.devices.allowance import allow_once, forbidden_word
from tapwright.devices.device import Device
from tapwright.environment.environment import Environment
from tapwright.environment.referee import REFEREE
from tapwright.environment.seat import Seat
from tapwright.errors import DeviceLostError
from tapwright.jobs.spans import span
from tapwright.store.ids import new_id
from tapwright.store.store import EpisodeStore
from tapwright.store.writer import EpisodeWriter

__all__ = ["rollout"]

T = TypeVar("T")

_PATIENCE_S = 30.0  # a phone that is not lost may take 10 s for one look


async def rollout(
    agent: Agent,
    environment: Environment,
    *,
    store: EpisodeStore | None = None,
    max_s: float | None = None,
    extra: Mapping[str, str] | None = None,
) -> Episode:
    """Play one episode to its end; with a `store`, write it there step by step.

    The device's calls run in a thread, so that many rollouts share one event loop. When the
    device is lost or the agent fails, the error is raised and the steps so far stay in
    the store, with the outcome "interrupted", as after a kill.

    With a `store` others may watch the attempt, hold it between two steps and act in the agent's
    place (`live`). From the first screen on, the agent has `max_s` seconds, without those in which
    it is held: then the episode is truncated, even while the agent decides. A device that takes as
    long again, and half a minute at least, counts as lost. `extra` is the episode's.

    Returns:
        The episode; with a store, as it is read from there. One whose time was up before its
        first step is not stored.

    Raises:
        DeviceError: the device failed, or cannot be set up.
        ModelError: the agent's model failed.
        TapwrightError: the environment's referee could not set up or judge; then, too, the steps
            so far stay in the store.
    """
    told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent.name,
            "tapwright.task": environment.task.id}  # fmt: skip
    with span(f"invoke_agent {agent.name}", told) as episode:
        played = await _play(agent, environment, store, max_s, extra or {})
        episode.set_attributes(
            {
                "tapwright.episode": played.id,
                "tapwright.outcome": played.outcome or "",
                "tapwright.steps": len(played.steps),
            }
        )
    return played


async def _play(
    agent: Agent,
    environment: Environment,
    store: EpisodeStore | None,
    max_s: float | None,
    extra: Mapping[str, str],
) -> Episode:
    task = environment.task
    observation, info = await _Clock(max_s).device(environment.reset)
    apps = await _Clock(max_s).device(environment.device.apps)
    clock = _Clock(max_s)
    pass_apps(agent, apps)
    episode = Episode(
        id=new_id(),
        task_id=task.id,
        instruction=info["instruction"],
        steps=(),
        agent=agent.name,
        device=environment.device.name,
        log=info["log"],
        state=info["state"],
        extra=extra,
    )
    writer: EpisodeWriter | None = None
    seat: Seat | None = None
    steps: list[Step] = []
    outcome: EpisodeOutcome | None = None
    state = info["state"]
    told: tuple[str, ...] = ()
    try:
        if store is not None:
            seat = await asyncio.to_thread(Seat, store.root, episode, task.max_steps)
        while outcome is None:
            decision, who = None, ""
            if seat is not None and seat.is_held():
                with clock.stopped():
                    turn = await seat.wait(environment.device, observation, clock.device)
                observation, decision, who = turn.seen, turn.decision, turn.who
                told = (*told, *turn.told)
            with span(f"step {len(steps)}", {}) as stepping:
                if decision is None:
                    decision = await clock.agent(agent.act(episode.instruction, steps, observation))
                if decision is None:
                    ruling = await asyncio.to_thread(environment.rule, environment.truncate())
                    outcome = ruling.outcome
                    if ruling.told and writer is not None:
                        writer.undo()
                        ruled = {**state, REFEREE: dict(ruling.told)}
                        await asyncio.to_thread(writer.append, replace(steps[-1], state=ruled))
                    break
                if seat is not None and not who:
                    with clock.stopped():
                        told = (*told, *await _ask(seat, environment.device, decision))
                after, reward, terminated, truncated, info = await clock.device(
                    partial(environment.step, decision.actions)
                )
                stepping.set_attributes(
                    {
                        "tapwright.actions": [one.type for one in decision.actions],
                        "tapwright.refused": bool(info.get("refused")),
                    }
                )
            state = info["state"]
            step = Step(
                observation,
                decision,
                reward,
                instructions=info["instructions"],
                log=(*told, *info["log"]),
                refused=info.get("refused", ""),
                between=info.get("between", ()),
                by=f"human/{who}" if who else "",
            )
            told = ()
            steps.append(step)
            if seat is not None and who:
                seat.tell_done(step.refused)
            try:
                if terminated or truncated:
                    ruling = await asyncio.to_thread(environment.rule, info["outcome"])
                    outcome = ruling.outcome
                    if ruling.told:
                        state = {**state, REFEREE: dict(ruling.told)}
            finally:  # a step that nobody could judge was played all the same
                if store is not None:
                    if writer is None:
                        # Only now: an attempt that fails before its first step leaves nothing.
                        writer = await asyncio.to_thread(_begin, store, episode)
                    # The history that the agent gets holds no state of the apps.
                    await asyncio.to_thread(writer.append, replace(step, state=state))
            observation = after
        if writer is not None:
            await asyncio.to_thread(
                partial(writer.finish, outcome, observation, evidence=environment.evidence)
            )
    finally:
        if writer is not None:
            writer.close()
        if seat is not None:
            seat.close()
    if store is not None and writer is not None:
        played = store.read(episode.id)
    else:
        played = replace(episode, steps=tuple(steps), outcome=outcome, final=observation)
        played = replace(played, evidence=environment.evidence)
    await asyncio.to_thread(report_episode, agent, played)
    return played


async def _ask(seat: Seat, device: Device, decision: Decision) -> tuple[str, ...]:
    """Ask who watches whether the one action that `--allow` forbids may be done; lines that say so.

    Of several actions that one would need a word for, none is asked for: they are done at once.
    """
    forbidden = [action for action in decision.actions if forbidden_word(device, action)]
    if len(forbidden) != 1 or forbidden[0] != decision.first:
        return ()
    said = await seat.ask(describe_actions(decision.actions))
    if said is None:
        return ()
    if said.allows:
        allow_once(device, decision.first)
    word = "allowed" if said.allows else "refused"
    return (f"tapwright: {said.who} {word} {decision.first.type} once",)


class _Clock:
    """The time that one attempt has, from now on; without a limit it waits for ever."""

    def __init__(self, max_s: float | None) -> None:
        self._max_s = max_s
        self._until = None if max_s is None else time.monotonic() + max_s

    async def agent(self, decision: Awaitable[Decision]) -> Decision | None:
        """What the agent decides; None when the time is up first."""
        try:
            async with asyncio.timeout(self._left_s()) as limit:
                return check_decision(await decision)
        except TimeoutError:
            if limit.expired():
                return None
            raise

    async def device(self, call: Callable[[], T]) -> T:
        """What a call of the device gives.

        Raises:
            DeviceLostError: it does not come back.
        """
        left_s = self._left_s()
        patience_s: float | None = None
        if left_s is not None and self._max_s is not None:
            patience_s = left_s + max(self._max_s, _PATIENCE_S)
        try:
            async with asyncio.timeout(patience_s) as limit:
                return await asyncio.to_thread(call)
        except TimeoutError as error:
            if limit.expired():
                raise DeviceLostError(
                    f"the device has not come back for {patience_s:.1f} s",
                    hint="give attempts more time if it is only slow: --max-seconds",
                ) from error
            raise

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Let time pass in the block that does not count."""
        begun = time.monotonic()
        try:
            yield
        finally:
            if self._until is not None:
                self._until += time.monotonic() - begun

    def _left_s(self) -> float | None:
        return None if self._until is None else max(0.0, self._until - time.monotonic())


def _begin(store: EpisodeStore, episode: Episode) -> EpisodeWriter:
    return store.create(
        task_id=episode.task_id,
        instruction=episode.instruction,
        agent=episode.agent,
        device=episode.device,
        id=episode.id,
        log=episode.log,
        state=episode.state,
        extra=episode.extra,
    )
