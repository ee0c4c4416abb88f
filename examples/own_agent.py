"""An agent of your own on the built-in phone: it opens the first app that the task's words name.

Run: python examples/own_agent.py
"""

import asyncio
from collections.abc import Sequence

from tapwright import Decision, Environment, Finish, Observation, Step, Tap, rollout
from tapwright.devices.phone.device import Phone
from tapwright.tasks.phone import tasks


class Opener:
    """Taps the home screen's icon of the app that the instruction is about, then gives up."""

    name = "opener"

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        tree = observation.ui_tree
        if history or tree is None:
            return Decision(Finish(outcome="failure", reason="opening is all it can do"))
        for node in tree.nodes:
            is_icon = node.short_id.startswith("app_") and node.label.lower() in instruction.lower()
            if is_icon and node.box is not None:
                return Decision(Tap(at=node.box.center), target=f"the {node.label} icon")
        return Decision(Finish(outcome="infeasible", reason="no app is named"))


def main() -> None:
    task = next(task for task in tasks() if task.id == "event_new")
    with Phone() as phone:
        episode = asyncio.run(rollout(Opener(), Environment(phone, task)))
    print(episode.instruction)
    for step in episode.steps:
        print(" ", step.decision.action.type, step.decision.target)
    print(episode.outcome)


if __name__ == "__main__":
    main()
