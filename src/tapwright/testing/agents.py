"""A checker for agents: they decide on actions, and the same seed gives the same decisions."""

from typing import get_args

from tapwright.agents.agent import Agent, AgentFactory
from tapwright.core.actions import (
    Action,
)
from tapwright.core.episode import Decision, Step
from tapwright.environment.environment import Environment
from tapwright.testing.laws import must, must_have

_CHECKED_STEPS = 20


async def check_agent(make: AgentFactory, environment: Environment) -> None:
    """Let an agent play twice with the same seed, until the end or for some steps.

    Raises:
        ConformanceError: it decides on no action, changes the history, or differs between plays.
    """
    task = environment.task
    plays = []
    for _ in range(2):
        agent = make(task, 0)
        must_have(agent, Agent)
        who = f"agent {agent.name}"
        plays.append(await _decisions(agent, environment, who))
    for number, (one, other) in enumerate(zip(*plays, strict=False), start=1):
        must(
            one == other,
            who,
            f"the same seed gives the same decisions; step {number} was {one!r}",
            other,
        )
    must(len(plays[0]) == len(plays[1]), who, "the same seed gives as many decisions")


async def _decisions(agent: Agent, environment: Environment, who: str) -> list[Decision]:
    observation, info = environment.reset(seed=0)
    instruction = info["instruction"]
    steps: list[Step] = []
    for _ in range(_CHECKED_STEPS):
        history = list(steps)
        decision = await agent.act(instruction, history, observation)
        must(isinstance(decision, Decision), who, "it decides on a `Decision`", decision)
        for action in decision.actions:
            must(isinstance(action, get_args(get_args(Action)[0])), who,
                  "its action is one of tapwright's", action)  # fmt: skip
        must(history == steps, who, "it leaves the history as it was")
        after, reward, terminated, truncated, info = environment.step(decision.actions)
        steps.append(Step(observation, decision, reward, info["instructions"]))
        if terminated or truncated:
            break
        observation = after
    return [step.decision for step in steps]
