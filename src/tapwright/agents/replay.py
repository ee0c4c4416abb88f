"""An agent that replays recorded successes, and falls back on another agent where it cannot.

The idea is AgentRR's (https://github.com/IPADS-SAI/MobiAgent, `agent_rr`): actions are kept, not
answers. Other than there an episode is recalled for the very same instruction alone, so that no
text of another task is ever typed.
"""

import json
import threading
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from tapwright.agents.agent import Agent
from tapwright.agents.relocation import are_alike, have_same_words, relocate_decision
from tapwright.core.actions import Action, Answer, AskUser, Finish, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.observation import Observation
from tapwright.errors import CorruptEpisodeError
from tapwright.files.jsonl import JsonlWriter, read_lines
from tapwright.store.store import EpisodeStore

__all__ = ["ReplayAgent", "ReplayCache"]

_DISTRUSTED = "distrusted.jsonl"


class ReplayCache:
    """The successful episodes of a store, by their instruction; for any number of threads.

    An episode that led astray is replayed no more: `distrusted.jsonl` in the store lists it, and
    the episode itself stays.
    """

    def __init__(self, store: EpisodeStore) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._path = store.root / _DISTRUSTED
        self._distrusted = set(_read_distrusted(self._path))
        self._ids: dict[str, list[str]] = {}
        for id_ in store.ids():
            self._add(store.open(id_))

    def find(self, instruction: str) -> Episode | None:
        """The shortest success at this instruction, of equally short ones the latest."""
        with self._lock:
            ids = list(self._ids.get(_key(instruction), ()))
        known = [self.store.open(id_) for id_ in ids if id_ not in self._distrusted]
        return min(reversed(known), key=lambda one: len(one.steps), default=None)

    def learn(self, episode: Episode, recalled: str = "") -> None:
        """Keep a success; distrust the episode `recalled` that a failure went by.

        A success that only did again what one in the store did adds nothing, and is not kept.

        Raises:
            StoreError: the episode cannot be stored.
        """
        with self._lock:
            if episode.outcome != "success":
                if recalled and recalled not in self._distrusted:
                    self._distrusted.add(recalled)
                    line = json.dumps({"episode": recalled, "failed": episode.id}).encode()
                    with JsonlWriter(self._path) as file:
                        file.recover()
                        file.append(line)
            elif not recalled or len(episode.steps) < len(self.store.open(recalled).steps):
                if episode.id not in self.store:
                    self.store.write(episode)
                self._add(episode)

    def _add(self, episode: Episode) -> None:
        if episode.outcome == "success" and episode.steps:
            self._ids.setdefault(_key(episode.instruction), []).append(episode.id)


class ReplayAgent:
    """Goes by a success at the same instruction as long as its targets are there.

    Where one is not, `inner` decides, and the way is joined again at the first later step whose
    screen is alike. What the recording typed, answered or concluded from a screen and not from the
    instruction is repeated only while every screen has had the very same words. `hits` counts the
    decisions that were recalled, `misses` those of `inner`.
    """

    def __init__(self, inner: Agent, cache: ReplayCache) -> None:
        self.inner = inner
        self._cache = cache
        self._way: Sequence[Step] | None = None
        self._next = 0
        self._same = True
        self._strayed = False
        self.recalled = ""
        self.hits = 0
        self.misses = 0

    @property
    def name(self) -> str:
        """The inner agent's name, and that it replays."""
        return f"{self.inner.name} with replay"

    @property
    def tally(self) -> Mapping[str, int]:
        """How many decisions were replayed, and how many the inner agent made."""
        return {"replayed": self.hits, "asked": self.misses}

    def ended(self, episode: Episode) -> None:
        """Let the cache learn from the attempt.

        Raises:
            StoreError: the episode cannot be stored.
        """
        self._cache.learn(episode, self.recalled if self.hits else "")

    async def act(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> Decision:
        """The recorded step that fits this screen; else the decision of the inner agent.

        Raises:
            ModelError: the query of the inner agent failed.
        """
        if self._way is None:
            self._begin(instruction)
        assert self._way is not None
        decision = self._recalled(instruction, observation)
        if decision is not None:
            self.hits += 1
            return decision
        self.misses += 1
        self._strayed = True
        return await self.inner.act(instruction, history, observation)

    def _begin(self, instruction: str) -> None:
        episode = self._cache.find(instruction)
        self._way = [step for step in episode.steps if not step.refused] if episode else ()
        self.recalled = episode.id if episode else ""

    def _recalled(self, instruction: str, now: Observation) -> Decision | None:
        assert self._way is not None
        # After an own step of the inner agent the way goes on wherever its screen is seen again.
        last = len(self._way) if self._strayed else min(self._next + 1, len(self._way))
        for number in range(self._next, last):
            step = self._way[number]
            if self._strayed and not are_alike(step.observation, now):
                continue
            self._same &= number == self._next and have_same_words(step.observation, now)
            if not self._same and _is_read_off(step, instruction):
                return None
            decision = relocate_decision(step, now)
            if decision is None:
                continue
            self._next, self._strayed = number + 1, False
            return decision
        return None


def _is_read_off(step: Step, instruction: str) -> bool:
    """Whether the text of a step comes from a screen, as it is not in the instruction."""
    return any(_holds_text(action, instruction) for action in step.decision.actions)


def _holds_text(action: Action, instruction: str) -> bool:
    match action:
        case TypeText(text=text):
            return text.strip().casefold() not in instruction.casefold()
        case Answer() | AskUser():
            return True
        case Finish(outcome=outcome):
            return outcome != "success"
        case _:
            return False


def _key(instruction: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", instruction).split())


def _read_distrusted(path: Path) -> list[str]:
    lines = read_lines(path, CorruptEpisodeError)
    return [str(json.loads(line)["episode"]) for line in lines]
