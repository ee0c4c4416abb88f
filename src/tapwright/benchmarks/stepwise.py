"""Offline step accuracy: the next action at each step of recorded episodes, under a rule set.

The episodes are those of a store, such as AndroidControl's, AITW's, AITZ's or GUI-Odyssey's after
`tapwright episodes import`. A model is queried as an agent queries it, in a convention,
with the recorded steps before as its history. What each set counts is in `step_rules`, which steps
it counts in `score_rules`.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from shlex import quote
from typing import NoReturn, Self

from tapwright.agents.agent import Agent
from tapwright.benchmarks.agentnet_rules import judge_several
from tapwright.benchmarks.benchmark import Score
from tapwright.benchmarks.errors import BadBenchmarkError
from tapwright.benchmarks.next_step import NextStep, dump_actions
from tapwright.benchmarks.score_rules import StepSuiteRule, step_rule
from tapwright.benchmarks.step_reference import WRONG_TYPE, Bounds
from tapwright.benchmarks.step_rules import StepReference, StepVerdict, get_rule, place_of
from tapwright.conventions import conventions
from tapwright.conventions.convention import Convention, Space, parse_on
from tapwright.conventions.history import DEFAULT_HISTORY, HistoryPolicy
from tapwright.conventions.spoken import SpokenConvention
from tapwright.core.actions import Action, Finish, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.fit import FitKind, find_fit, find_kind
from tapwright.core.messages import Message
from tapwright.core.observation import Observation, UiTree
from tapwright.core.outcomes import InstructionLevel
from tapwright.errors import BadAnswerError, BadImageError, StoreError, UsageError, quote_path
from tapwright.store.annotations import apply_annotations, read_annotations
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore

__all__ = ["Stepwise", "judge_step"]

_LAST_INSTRUCTION = "finish the task"  # as AgentCPM-GUI's process_ac.py has it
_RECENT = 8
"""Episodes in memory: those of the samples that a run measures at a time."""
_AGENTNET = {"agentnet": False, "agentnet-60da8b9": True}
_EDGE = re.compile(r"-?\d+", re.ASCII)


def judge_step(predicted: Action | Sequence[Action], step: Step, *, rules: str) -> StepVerdict:
    """How an action, or an answer of several, does at a recorded step; pure.

    Several are as good as the worst of them, and wrong when there are more or fewer than were
    recorded; by AgentNet's rules they are compared as its evaluator does.

    Whether Enter is pressed behind a text is no part of the text. The elements that a rule set may
    look at are those of the step's tree; the target is the one that the recorded tap reaches.

    Raises:
        UnknownNameError: there is no such set of rules.
        BadTreeError: the tree is not readable.
    """
    several = predicted if isinstance(predicted, Sequence) else (predicted,)
    given = [_without_enter(action) for action in several]
    wanted = [_refer(action, step.observation) for action in step.decision.actions]
    if rules in _AGENTNET and len(given) + len(wanted) > 2:
        return judge_several(given, wanted, later=_AGENTNET[rules])
    rule = get_rule(rules)
    if len(given) != len(wanted):
        return WRONG_TYPE
    verdicts = [rule(one, other) for one, other in zip(given, wanted, strict=True)]
    return StepVerdict(
        all(verdict.type_match for verdict in verdicts), min(verdict.value for verdict in verdicts)
    )


def _refer(action: Action, seen: Observation) -> StepReference:
    action, tree = _without_enter(action), seen.ui_tree
    elements = [node.box for node in tree.nodes if node.box is not None] if tree else []
    at = place_of(action)
    reached = tree.at(at) if tree and at else None
    target = reached.box if reached else None
    bounds = recorded_bounds(tree) if tree else ()
    return StepReference(action, seen.size, elements, target, bounds)


def _without_enter(action: Action) -> Action:
    match action:
        case TypeText(text=text):
            return action.model_copy(update={"text": text.removesuffix("\n")})
        case _:
            return action


def recorded_bounds(tree: UiTree) -> list[Bounds]:
    """The bounds of every element as they were recorded, empty and off the screen or not."""
    size, found = tree.size, []
    for node in tree.nodes:
        edges = [int(edge) for edge in _EDGE.findall(node.attributes.get("bounds", ""))]
        if len(edges) == 4:
            left, top, right, bottom = edges
            found.append(
                (left / size.width, top / size.height, right / size.width, bottom / size.height)
            )
    return found


class Stepwise:
    """The steps of a store's episodes, under one set of rules, in the words of one convention.

    Left out are steps that are no targets; `fit` counts them all by what they are (`core.fit`).
    `left_out` has why episodes cannot be used, each with its file.
    """

    origin = "the episodes of a store, from `tapwright episodes import`"

    def __init__(
        self,
        episodes: Iterable[Episode],
        *,
        rules: str,
        suite: str = "",
        level: InstructionLevel = "high",
        convention: str = "json",
        source: str = "",
        annotator: str = "",
    ) -> None:
        """Take the steps of `suite`, by default the one that is named by its rules.

        With an `annotator` the history has the reasoning and the targets that it wrote, as the
        training data of `sft export --annotator` has them.

        Raises:
            UnknownNameError: there are no such rules, or no such convention.
            UsageError: the suite has no such rules, or annotations are wanted of episodes that are
                not a store's.
            BadBenchmarkError: the level is low, and a step has no instruction of its own.
        """
        get_rule(rules)  # an unknown name is reported before anything is read
        self.name = suite or f"steps-{rules}"
        self.source = source
        self.rules = rules
        self.level: InstructionLevel = level
        self.convention = conventions.get(convention)
        self.spoken_to = ""
        self.history = DEFAULT_HISTORY
        self.max_side: int | None = None
        self.max_pixels: int | None = None
        self.annotator = annotator
        # A store is read anew; what could be read only once is kept.
        self._episodes = episodes if isinstance(episodes, EpisodeStore) else tuple(episodes)
        rule = step_rule(self.name, rules)
        self._samples: list[NextStep] = []
        self.left_out: list[str] = []
        self.fit = Counter[FitKind]()
        digest = hashlib.sha256()

        @lru_cache(maxsize=_RECENT)
        def read_again(read: Callable[[], Episode]) -> Episode:
            return _add_finish(read(), rule)

        for read in _readers(self._episodes, annotator):
            try:
                fit = Counter[FitKind]()
                samples = list(_samples(partial(read_again, read), rule, level, fit))
                marks = [_mark(sample, annotator) for sample in samples]
            except (StoreError, BadImageError) as error:
                self.left_out.append(str(error))
                continue
            self._samples += samples
            self.fit += fit
            for mark in marks:
                digest.update(mark)
        self.data_sha256 = digest.hexdigest()

    def under(self, rules: str) -> "Stepwise":
        """The same episodes under other rules of the suite; "" for its default.

        Raises:
            UsageError: the suite has no such rules.
        """
        return self._changed(rules=step_rule(self.name, rules).name)

    def at_level(self, level: InstructionLevel) -> "Stepwise":
        """The same episodes with the instructions of their tasks ("high") or steps ("low").

        Raises:
            BadBenchmarkError: the level is low, and a step has no instruction of its own.
        """
        return self._changed(level=level)

    def annotated_by(self, annotator: str) -> "Stepwise":
        """The same episodes with what an annotator wrote in their history; "" for the recorded.

        Episodes that it has not annotated are left out.

        Raises:
            BadBenchmarkError: it has annotated none.
            UsageError: the episodes are not a store's.
        """
        made = self._changed(annotator=annotator)
        if self.samples() and not made.samples():
            raise BadBenchmarkError(
                f"{self.source}: {annotator} has annotated none of the episodes",
                hint=f"tapwright annotate run {quote_path(self.source)} --with {quote(annotator)}",
            )
        return made

    def _changed(
        self,
        rules: str | None = None,
        level: InstructionLevel | None = None,
        annotator: str | None = None,
    ) -> "Stepwise":
        rules = self.rules if rules is None else rules
        level = self.level if level is None else level
        annotator = self.annotator if annotator is None else annotator
        if (rules, level, annotator) == (self.rules, self.level, self.annotator):
            return self
        made = Stepwise(
            self._episodes,
            rules=rules,
            suite=self.name,
            level=level,
            convention=self.convention.name,
            source=self.source,
            annotator=annotator,
        )
        made.history, made.max_side, made.max_pixels = self.history, self.max_side, self.max_pixels
        return made

    @classmethod
    def load(cls, source: str, *, rules: str, suite: str = "", convention: str = "json") -> Self:
        """The steps of the store in the directory `source`.

        Raises:
            UnknownNameError: there are no such rules, or no such convention.
            BadBenchmarkError: the store has no step that could be measured.
        """
        store = EpisodeStore(Path(source))
        where = str(Path(source).resolve())
        made = cls(store, rules=rules, suite=suite, convention=convention, source=where)
        if not made.samples():
            if made.left_out:
                raise BadBenchmarkError(
                    f"{source}: none of {len(made.left_out)} episodes can be used: "
                    f"{made.left_out[0]}",
                    hint="tapwright episodes check tells what is wrong with each",
                )
            raise BadBenchmarkError(
                f"{source}: no episode with a picture of its steps",
                hint="fill the store with tapwright episodes import",
            )
        return made

    def in_convention(self, convention: Convention, *, model: str = "") -> "Stepwise":
        """The same steps in another convention, as it is spoken to the `model`."""
        made = copy(self)
        made.convention = convention
        made.spoken_to = model
        return made

    def with_history(self, history: HistoryPolicy) -> "Stepwise":
        """The same steps, prompted with the earlier ones that a policy selects.

        So the training data of `sft export --history` has them.
        """
        made = copy(self)
        made.history = history
        return made

    def in_pictures(self, *, max_side: int | None, max_pixels: int | None) -> "Stepwise":
        """The same steps, shown in pictures of at most this size, in whose pixels places are told.

        The pictures themselves are scaled by who sends them.
        """
        made = copy(self)
        made.max_side, made.max_pixels = max_side, max_pixels
        return made

    def _shown(self, seen: Observation) -> Observation:
        return seen.shrink(max_side=self.max_side, max_pixels=self.max_pixels)

    def samples(self) -> list[NextStep]:
        """Episode by episode, their steps in order."""
        return self._samples

    def prompt(self, sample: NextStep) -> list[Message]:
        """The prompt of an agent with the convention at this step."""
        before = [
            replace(step, observation=self._shown(step.observation)) for step in sample.history
        ]
        seen = self._shown(sample.observe())
        spoken = SpokenConvention.to(self.spoken_to, self.convention)
        return spoken.prompt(sample.instruction, before, seen, self.history)

    async def decide(self, sample: NextStep, agent: Agent) -> str:
        """An agent's decision at this step, written in the convention."""
        decision = await agent.act(sample.instruction, sample.history, sample.observe())
        return self.convention.render(decision, sample.size)

    def score(self, sample: NextStep, answer: str, *, space: Space | str) -> Score:
        """The score of the answer's action; 0 for an answer that the convention cannot read.

        The convention has its own unit of places, so `space` changes nothing. The detail has
        whether the type is right, and why an answer cannot be read.
        """
        try:
            predicted = parse_on(self.convention, answer, self._shown(sample.observe())).actions
        except BadAnswerError as error:
            return Score(0.0, "none", None, {"type_match": False, "reason": str(error)})
        verdict = judge_step(predicted, sample.step, rules=self.rules)
        return Score(
            verdict.value, "ok", dump_actions(predicted), {"type_match": verdict.type_match}
        )


AITW = partial(Stepwise.load, rules="aitw")
AITZ = partial(Stepwise.load, rules="agentcpm-gui", suite="steps-aitz")
ANDROID_CONTROL = partial(Stepwise.load, rules="qwen", suite="steps-android-control")
OS_ATLAS = partial(Stepwise.load, rules="os-atlas")
QWEN = partial(Stepwise.load, rules="qwen")
ODYSSEY = partial(Stepwise.load, rules="odyssey")
AGENTNET = partial(Stepwise.load, rules="agentnet")


def _readers(episodes: Iterable[Episode], annotator: str) -> Iterator[Callable[[], Episode]]:
    """How each episode is read; one that a store cannot find out about raises at once."""
    if not isinstance(episodes, EpisodeStore):
        if annotator:
            raise UsageError(
                f"annotations by {annotator} are wanted, and these episodes have none",
                hint="annotations are read from an EpisodeStore",
            )
        for episode in episodes:
            yield partial(_itself, episode)
        return
    ids, unreadable = episodes.scan()
    for error in unreadable.values():
        yield partial(_refuse, error)
    for id_ in ids:
        yield partial(_read, episodes, id_, annotator)


def _read(store: EpisodeStore, id_: str, annotator: str) -> Episode:
    episode = store.read(id_)
    if not annotator:
        return episode
    return apply_annotations(episode, read_annotations(store.root / directory_name(id_), annotator))


def _itself(episode: Episode) -> Episode:
    return episode


def _refuse(error: StoreError) -> NoReturn:
    raise error


def _mark(sample: NextStep, annotator: str) -> bytes:
    """What of a sample changes what is measured."""
    shot = sample.step.observation.screenshot.sha256
    told = (annotator, sample.step.decision.reasoning, sample.step.decision.target)
    return repr(
        (sample.id, sample.instruction, sample.truth, shot, *(told if annotator else ()))
    ).encode("utf-8", "surrogatepass")


def _add_finish(episode: Episode, rule: StepSuiteRule) -> Episode:
    """The episode with the step that a suite ends it with, on its last screen."""
    if not rule.adds_finish or not episode.final or _ends(episode.steps):
        return episode
    last = Step(episode.final, Decision(Finish()), step_instruction=_LAST_INSTRUCTION)
    return replace(episode, steps=(*episode.steps, last))


def _samples(
    read: Callable[[], Episode], rule: StepSuiteRule, level: InstructionLevel, fit: Counter[FitKind]
) -> Iterator[NextStep]:
    episode = read()
    for number, step in enumerate(episode.steps):
        seen = step.observation
        why = find_fit(step).target
        fit[find_kind(step, why)] += 1
        if why or step.decision.first.type == rule.leaves_out:
            continue
        labels = {
            "episode": episode.id,
            "step": str(number),
            "action": " ".join(action.type for action in step.decision.actions),
            "app": seen.app,
        }
        if category := episode.extra.get("category"):
            labels["category"] = category
        yield NextStep(
            id=f"{episode.id}-{number}",
            instruction=_instruction(episode, number, step, level),
            labels=labels,
            picture=Path(seen.screenshot.origin),
            size=seen.size,
            number=number,
            read=read,
        )


def _ends(steps: Sequence[Step]) -> bool:
    return bool(steps) and steps[-1].decision.ending is not None


def _instruction(episode: Episode, number: int, step: Step, level: InstructionLevel) -> str:
    if level == "high":
        return episode.instruction
    # Before schema 3 of the store, AndroidControl's were kept as the reasoning.
    told = step.step_instruction or step.decision.reasoning
    if not told:
        raise BadBenchmarkError(
            f"{episode.id}, step {number}: has no instruction of its own",
            hint="--plan level=high; AndroidControl's steps have one",
        )
    return told
