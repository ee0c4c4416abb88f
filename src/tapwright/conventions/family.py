"""What a family's row has: prompt, unit, sizes of pictures, history, and a grammar of verbs.

A family differs from others by data: the words around task, history and screen (`OneTurn`, or turns
of a conversation), the unit of its places, how pictures are resized for it, and its verbs
(`verbs.Grammar`). What stands around an action in an answer is the subclass's.

The prompts that families were trained with or document are data, one file each under `prompts/`,
byte for byte as the source that the row names; one newline at the end of a file is the file's and
not the prompt's.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Literal, Protocol, Self, TypeAlias

from pydantic import JsonValue

from tapwright.conventions.arguments import On
from tapwright.conventions.convention import Convention, Space
from tapwright.conventions.grounding import place_of
from tapwright.conventions.rendering import action_line, quote, render_step
from tapwright.conventions.resize import Resize
from tapwright.conventions.verbs import Grammar
from tapwright.core.actions import Action
from tapwright.core.episode import Decision, Step
from tapwright.core.geometry import Box, Point, Size
from tapwright.core.language import language_of
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation
from tapwright.core.screenshot import Screenshot

__all__ = [
    "AnswersBack", "Ask", "Family", "Finding", "InTurns", "OneTurn", "Order", "Recall",
    "assistant_message", "build_prompt", "fill", "read_template", "say_answer", "say_line",
    "spell_call", "user_message",
]  # fmt: skip


@cache
def read_template(name: str) -> str:
    """The text of `prompts/<name>.txt`."""
    path = resources.files("tapwright.conventions") / "prompts" / f"{name}.txt"
    return path.read_text(encoding="utf-8").removesuffix("\n")


def fill(text: str, **values: str) -> str:
    """`text` with each `{name}` replaced once; braces in what is filled in stay as they are."""
    cut = enumerate(_cut(text))
    return "".join([values.get(one, f"{{{one}}}") if at % 2 else one for at, one in cut])


@lru_cache(maxsize=256)
def _cut(text: str) -> list[str]:
    """A text between its `{name}`s, and their names, by turns: each is filled for every step."""
    return re.split(r"\{(\w+)\}", text)


def assistant_message(answer: str) -> Message:
    """An earlier answer of the model, as a message."""
    return Message("assistant", (Text(answer),))


def user_message(*parts: str | Screenshot) -> Message:
    """A message of the user: words and pictures in their order; empty words are left out."""
    return Message(
        "user",
        tuple(Text(part) if isinstance(part, str) else Picture(part) for part in parts if part),
    )


def build_prompt(
    convention: Convention,
    system: str,
    instruction: str,
    history: Sequence[Step],
    observation: Observation,
) -> list[Message]:
    """A prompt of our own: the grammar, then task, answers so far, and the screen."""
    past = "\n".join(
        f"{number}. {render_step(convention, step)}" for number, step in enumerate(history, start=1)
    )
    words = (
        f"Task: {instruction}\n\nWhat you did so far:\n{past or '(nothing yet)'}\n\nThe screen now:"
    )
    return [Message("system", (Text(system),)), user_message(words, observation.screenshot)]


Order: TypeAlias = Literal["words first", "picture first"]
Recall: TypeAlias = Callable[["Family", Step], str]
"""How an earlier step is written."""
_CUTS = re.compile(r"(\{picture\})|\{part\}")
_NONE = Grammar(())
_MOST_SIZES = 64
_TEMPLATE = re.compile(r"\{template(?::([\w.-]+))?\}")


def say_line(family: "Family", step: Step) -> str:
    """An earlier step in one imperative line."""
    return action_line(step)


def say_answer(family: "Family", step: Step) -> str:
    """An earlier step as the answer that it was."""
    return render_step(family, step)


def spell_call(word: str, args: Mapping[str, JsonValue], place: str) -> str:
    """A call as the model writes it; `place` is a format of x and y, or of a box's four sides."""
    said = [f"{name}={_spell(value, place)}" for name, value in args.items()]
    return f"{word}({', '.join(said)})"


def _spell(value: JsonValue, place: str) -> str:
    match value:
        case str():
            return quote(value)
        case [str(), *_]:
            return f"[{', '.join(quote(str(one)) for one in value)}]"
        case list():
            return place.format(*value)
    return str(value)


class Ask(Protocol):
    """How a family is prompted."""

    def messages(
        self, family: "Family", task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The messages that request the next decision."""


def _fill(family: "Family", words: str, seen: Size, values: dict[str, str]) -> str:
    """Words with the templates that they name, and what is filled into both."""
    text = _TEMPLATE.sub(lambda found: read_template(found[1] or family.name), words)
    return fill(text, width=str(seen.width), height=str(seen.height), **values)


def _values(task: str, history: str = "") -> dict[str, str]:
    """What is filled in, by the names that upstreams' prompts have for it."""
    language = {"en": "English", "zh": "Chinese"}[language_of(task)]
    tasks = dict.fromkeys(("task", "instruction", "user_task", "target"), task)
    return {**tasks, "history": history, "previous_actions": history, "language": language}


@dataclass(frozen=True, slots=True)
class OneTurn:
    """A user's turn with everything, perhaps after a system turn.

    Words may have `{template}` (the family's file of `prompts`; `{template:name}` is another),
    `{task}`, `{history}` and `{picture}` (or upstream's names for them), the `{width}` and
    `{height}` of the picture as the model sees it, and `{part}` where a text ends and another
    begins. `line` is an earlier step, with `{number}` from `first` on and `{step}`, the lines are
    joined by `joiner`, and `nothing` stands where there are none. `around` has what stands around
    them in `{history}`.
    """

    words: str
    system: str = ""
    line: str = "{step}"
    first: int = 1
    joiner: str = ""
    nothing: str = ""
    around: str = "{history}"
    recall: Recall = say_line

    def messages(
        self, family: "Family", task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, if there is one, and the user's."""
        past = fill(self.around, history=self.past(family, history) or self.nothing)
        values = _values(task, past)
        seen = family.model_size(observation.size)
        words = _TEMPLATE.sub(lambda found: read_template(found[1] or family.name), self.words)
        parts: list[str | Screenshot] = []
        for piece in filter(None, _CUTS.split(words)):
            shown = piece == "{picture}"
            parts.append(observation.screenshot if shown else _fill(family, piece, seen, values))
        user = user_message(*parts)
        if not self.system:
            return [user]
        return [Message("system", (Text(_fill(family, self.system, seen, {})),)), user]

    def past(self, family: "Family", history: Sequence[Step]) -> str:
        """The earlier steps."""
        return self.joiner.join(
            fill(self.line, number=str(number), step=self.recall(family, step))
            for number, step in enumerate(history, start=self.first)
        )


@dataclass(frozen=True, slots=True)
class InTurns:
    """Turns for the latest steps: each screen a user's, each answer the model's.

    The task and a line for each older step (`line`) stand in the first of them, before the picture
    or after it, and not again in the later ones.
    """

    words: str
    shown: int = 4
    line: str = "Step {number}: {step}"
    nothing: str = "None"
    order: Order = "picture first"
    system: str = "{template}"

    def messages(
        self, family: "Family", task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn; then screens and answers, and the present screen."""
        system, words, recent = self.opening(family, task, history, observation)
        messages = [system]
        for step in recent:
            messages.append(self._ask(step.observation.screenshot, words))
            messages.append(assistant_message(render_step(family, step)))
            words = ""
        return [*messages, self._ask(observation.screenshot, words)]

    def opening(
        self, family: "Family", task: str, history: Sequence[Step], observation: Observation
    ) -> tuple[Message, str, Sequence[Step]]:
        """The system turn, the words of the task with the older steps, and the recent steps."""
        system = _fill(family, self.system, family.model_size(observation.size), {})
        older = "\n".join(
            fill(self.line, number=str(number), step=action_line(step))
            for number, step in enumerate(history[: -self.shown], start=1)
        )
        words = fill(self.words, task=task, history=older or self.nothing)
        return Message("system", (Text(system),)), words, history[-self.shown :]

    def _ask(self, screen: Screenshot, words: str) -> Message:
        return user_message(*((words, screen) if self.order == "words first" else (screen, words)))


@dataclass(frozen=True, slots=True)
class AnswersBack:
    """The task is a turn; then every answer, the latest behind their screens; then the screen.

    With `together` the first screen stands in the task's turn, as long as it is shown.
    """

    shown: int
    words: str = "{task}"
    system: str = ""
    together: bool = False

    def messages(
        self, family: "Family", task: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The system turn, if there is one, the task, and the answers so far."""
        seen = family.model_size(observation.size)
        system = _fill(family, self.system, seen, {})
        messages = [Message("system", (Text(system),))] if system else []
        screens = [*(step.observation.screenshot for step in history), observation.screenshot]
        turns = [user_message(screen) for screen in screens]
        words = _fill(family, self.words, seen, _values(task))
        if self.together and len(history) <= self.shown:
            turns[0] = user_message(words, screens[0])
        else:
            messages.append(user_message(words))
        for number, step in enumerate(history):
            if number >= len(history) - self.shown:
                messages.append(turns[number])
            messages.append(assistant_message(render_step(family, step)))
        return [*messages, turns[-1]]


@dataclass(frozen=True, kw_only=True)
class Family(ABC):
    """One family, or one of its prompts; a subclass renders and parses its answers.

    `resize` is how pictures are resized for the model, in whose pixels it answers where `space`
    is pixels; `sends` is how the client scales them, if it does. `trains` is how its training data
    asks, where that is otherwise.
    """

    name: str
    source: str
    space: Space
    asks: Ask = field(repr=False)
    grammar: Grammar = field(default=_NONE, repr=False, compare=False)
    resize: Resize | None = None
    sends: Resize | None = None
    trains: Ask | None = field(default=None, repr=False)
    _seen: dict[tuple[int, int], On] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def model_size(self, size: Size) -> Size:
        """The size in which the model sees a picture of `size`."""
        return size if self.resize is None else self.resize.size(size)

    def sent_size(self, size: Size) -> Size:
        """The size in which the family's client sends a picture of `size`."""
        return size if self.sends is None else self.sends.size(size)

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The messages that request the next decision."""
        return self.asks.messages(self, instruction, history, observation)

    @abstractmethod
    def render(self, decision: Decision, size: Size) -> str:
        """The answer of a model of this family."""

    @abstractmethod
    def parse(self, text: str, size: Size) -> Decision:
        """The decision that an answer means."""

    def say(self, action: Action, on: On, place: str) -> str:
        """The call for an action, `place` as `spell_call` takes it.

        Raises:
            UnsupportedByConventionError: the grammar has no such action.
        """
        return spell_call(*self.grammar.write(action, on), place)

    def as_trained(self) -> Self:
        """The same family, asked as in its training data."""
        return self if self.trains is None else replace(self, asks=self.trains)

    def on(self, size: Size, box: Box | None = None) -> On:
        """What an answer on a screen of `size` is about; remembered for the sizes seen last."""
        shape = size.width, size.height
        known = self._seen.get(shape)
        if known is None:
            if len(self._seen) >= _MOST_SIZES:
                self._seen.clear()
            known = self._seen[shape] = On(self.name, self.model_size(size), self.space)
        return known if box is None else known._replace(box=box)


@dataclass(frozen=True, kw_only=True)
class Finding(Family):
    """A family with a prompt of its own for one element."""

    finds: Ask

    def grounding_prompt(
        self, target: str, observation: Observation, reasoning: str = ""
    ) -> list[Message]:
        """The messages that request the place of `target`; upstream tells no reason."""
        return self.finds.messages(self, target, (), observation)

    def parse_point(self, text: str, size: Size) -> Point | None:
        """The place of the action; None where it ends as a failure: there is no such element."""
        return place_of(self.parse(text, size).first)
