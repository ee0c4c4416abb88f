"""An agent that plans first: a planner cuts the task into subtasks, another agent does each.

The protocol is MobiAgent's (`agents.plan` has its shapes; runner/mobiagent): the planner is queried
once, with the task and the device's apps; of each subtask the app is opened and the decider
starts without a history. When it is done and something is to be handed on, the planner reads that
off the last screens. The prompts are our own. Other than there, opening an app is a step of the
episode, what is handed on is put behind the next subtask's words without asking once more, and an
app that the device has not is a bad answer.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tapwright.agents import query_policy
from tapwright.agents.agent import Agent
from tapwright.agents.model import finish_unreadable
from tapwright.agents.plan import Subtask, SubtaskArtifact, TaskPlan, read_artifact, read_plan
from tapwright.agents.wrappers import collect_answers, collect_counts, pass_apps
from tapwright.core.actions import Finish, OpenApp
from tapwright.core.episode import Decision, Step, describe_actions
from tapwright.core.language import Language, language_of
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError
from tapwright.models.model import Model

__all__ = ["PlanningAgent"]

_PLAN = """\
You plan for somebody who operates a phone. Say in which apps the task is done, one after the other.

Apps on the phone: {apps}

The task: {task}

If one app is enough, answer with one JSON object:
{{"reasoning": "why this app", "app_name": "the app", "package_name": "its package, if known", \
"final_task_description": "the task, complete and unchanged in meaning, for that app"}}

If it takes several apps, or something has to be carried from one to another, answer with:
{{"subtasks": [{{"subtask_id": 1, "app_name": "the app", "package_name": "", \
"description": "what is to be done there, complete in itself", \
"artifact_schema": {{"name of what is to be found out": "what it is"}}, "depends_on": []}}, …]}}
Give an artifact_schema only where a later subtask needs what is found out, and name in that \
one's depends_on the subtasks whose artifacts it needs. What the user wants to be told is told in \
the last subtask. Answer with the JSON object and nothing else."""
_FOUND = """\
Somebody was to do this on a phone, in the app {app}: {description}

What they did, oldest first:
{past}

The pictures show the screens before the last actions, and the last one the screen now. Answer \
with one JSON object and nothing else:
{{"subtask_id": {id}, "success": true or false, "summary": "what came of it, in a sentence", \
"data": {{{fields}}}}}"""
_KNOWN: Mapping[Language, str] = {"en": "What is known from before:", "zh": "此前已知："}
_SCREENS = 3


class PlanningAgent:
    """Asks the model `planner` how to go about a task, and `inner` for each of its steps.

    The answers of models to either are kept in `answers`, in order, with the step of the whole
    attempt.
    """

    def __init__(self, inner: Agent, planner: Model) -> None:
        self._inner = inner
        self._query = query_policy.ModelQuery(planner, "planner")
        self.answers: list[query_policy.ModelAnswer] = []
        self._taken = 0
        self._apps: tuple[str, ...] = ()
        self._plan: TaskPlan | None = None
        self._number = 0
        self._begun = 0
        self._artifacts: dict[int, SubtaskArtifact] = {}

    @property
    def name(self) -> str:
        """The inner agent's name, and who plans."""
        return f"{self._inner.name} planned by {self._query.model.name}"

    @property
    def tally(self) -> Mapping[str, int]:
        """How many subtasks were started, and the counts of the inner agent."""
        return {**collect_counts(self._inner), "subtasks": self._number + 1 if self._plan else 0}

    def prepare(self, apps: Sequence[str]) -> None:
        """Receive the apps that a plan may use."""
        self._apps = tuple(apps)
        pass_apps(self._inner, apps)

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """Open the next subtask's app, or return the inner agent's decision in it.

        A planner that gives no readable answer, and a subtask that fails, end the attempt as a
        failure.

        Raises:
            ModelError: a query failed.
        """
        step = len(history)
        if self._plan is None:
            try:
                self._plan = await self._query_plan(instruction, step)
            except BadAnswerError as error:
                return finish_unreadable(f"of the planner {error}")
            return self._open(step)
        subtask = self._plan.subtasks[self._number]
        own = history[self._begun :]
        try:
            decision = await self._inner.act(self._extend_description(subtask), own, observation)
        finally:
            self._take_answers(step)
        last = self._number + 1 == len(self._plan.subtasks)
        ending = decision.ending
        if last or ending is None or ending.outcome != "success":
            return decision
        if decision.first is not ending:  # what comes before the end is done, and the end asked for
            before = decision.actions[: decision.actions.index(ending)]
            return replace(decision, actions=before)
        if subtask.artifact_schema:
            try:
                artifact = await self._query_artifact(subtask, own, observation, step)
            except BadAnswerError as error:
                return finish_unreadable(f"of the planner {error}")
            if not artifact.success:
                why = f"subtask {subtask.subtask_id} failed: {artifact.summary}"
                return Decision(Finish(outcome="failure", reason=why), decision.reasoning)
            self._artifacts[subtask.subtask_id] = artifact
        self._number += 1
        return self._open(step)

    def _take_answers(self, step: int) -> None:
        """Keep the answers of the inner agent's models, which number the steps of one subtask."""
        fresh = collect_answers(self._inner)[self._taken :]
        self._taken += len(fresh)
        self.answers += [replace(answer, step=step) for answer in fresh]

    def _open(self, step: int) -> Decision:
        assert self._plan is not None  # there is a subtask to begin
        subtask = self._plan.subtasks[self._number]
        self._begun = step + 1
        return Decision(OpenApp(app=subtask.app_name), reasoning=subtask.description)

    async def _query_plan(self, instruction: str, step: int) -> TaskPlan:
        apps = ", ".join(self._apps) or "(not known)"
        words = _PLAN.format(apps=apps, task=instruction)
        return await self._query.ask(
            [Message("user", (Text(words),))],
            lambda text: read_plan(text, self._apps),
            step,
            self.answers,
        )

    async def _query_artifact(
        self, subtask: Subtask, own: Sequence[Step], observation: Observation, step: int
    ) -> SubtaskArtifact:
        now, before = await query_policy.change_pictures(
            observation, own[-_SCREENS:], scale=self._query.policy.picture_scale
        )
        past = [f"{number}. {_describe_step(one.decision)}" for number, one in enumerate(own, 1)]
        words = _FOUND.format(
            app=subtask.app_name,
            description=self._extend_description(subtask),
            past="\n".join(past) or "(nothing)",
            id=subtask.subtask_id,
            fields=json.dumps(subtask.artifact_schema, ensure_ascii=False)[1:-1],
        )
        screens = [*(one.observation.screenshot for one in before), now.screenshot]
        message = Message("user", (*map(Picture, screens), Text(words)))
        return await self._query.ask(
            [message], lambda text: read_artifact(text, subtask), step, self.answers
        )

    def _extend_description(self, subtask: Subtask) -> str:
        """The description of a subtask, followed by the data of earlier ones that it needs."""
        lines = [
            json.dumps(artifact.data, ensure_ascii=False)
            for needed in subtask.depends_on
            if (artifact := self._artifacts.get(needed)) is not None and artifact.data
        ]
        if not lines:
            return subtask.description
        return "\n".join(
            [subtask.description, "", _KNOWN[language_of(subtask.description)], *lines]
        )


def _describe_step(decision: Decision) -> str:
    action = describe_actions(decision.actions)
    return f"{action} on {decision.target}" if decision.target else action
