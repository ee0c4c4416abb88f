"""The questions to a model: which steps, with which prompt and pictures.

The words are a Jinja template, `prompts/en.jinja` or `prompts/zh.jinja`, or a user's own file with
the same slots. A long episode is split into windows that overlap; steps keep their numbers in the
whole. A question has a key before any picture is drawn, so that one that has been
answered is known at no cost.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import JsonValue

from tapwright.annotate import marked_screen
from tapwright.annotate.errors import PromptTemplateError
from tapwright.core.actions import Action
from tapwright.core.episode import Episode
from tapwright.core.language import Language
from tapwright.core.messages import Message, Part, Picture, Text
from tapwright.core.observation import Observation
from tapwright.files.regular import read_regular
from tapwright.models.model import Model

__all__ = ["Prompt", "QuestionScreen", "StepQuestion", "model_settings", "split_windows"]

_EARLIER_STEPS = 30
_LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "中文"}
_WORDS_OF_A_STEP = 160
_MOBIAGENT_SLOT = re.compile(r"(?<!\{)\{(?:goal|screenshot_count)\}(?!\})")
_MOBIAGENT_MARK = re.compile(r"\{\{|\}\}|\{goal\}|\{screenshot_count\}")


@dataclass(frozen=True, slots=True)
class QuestionScreen:
    """A screen of a question, with the line that describes the action on it.

    Without actions it is the screen that the last of the steps led to.
    """

    line: str
    seen: Observation
    actions: Sequence[Action] = ()


@dataclass(frozen=True)
class StepQuestion:
    """A question about the steps `first` to `last`, both counted from 0 and included."""

    first: int
    last: int
    system: str
    shown: tuple[QuestionScreen, ...]
    max_pixels: int

    def key(self, model: Model, turn: int) -> str:
        """Return the hash of all that decides the answer; `turn` counts its attempts, from 1.

        Without the server's address, as the same model elsewhere gives the same answer.
        """
        whole: dict[str, JsonValue] = {
            "model": model.name,
            "settings": model_settings(model),
            "system": self.system,
            "shown": [[one.line, one.seen.screenshot.sha256] for one in self.shown],
            "max_pixels": self.max_pixels,
            "marking": marked_screen.MARKING_VERSION,
            "turn": turn,
        }
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    def messages(self) -> list[Message]:
        """Return the prompt and the pictures, each after its line; drawing them takes some time.

        Raises:
            BadImageError: a screenshot cannot be decoded.
            CorruptEpisodeError: the file of one is missing.
        """
        parts: list[Part] = []
        for one in self.shown:
            picture = marked_screen.mark_screen(
                one.seen.screenshot, one.actions, one.line, max_pixels=self.max_pixels
            )
            parts += [Text(f"{one.line}\n"), Picture(picture)]
        return [Message("system", (Text(self.system),)), Message("user", tuple(parts))]

    def estimate(self) -> tuple[int, int]:
        """Estimate the numbers of input and output tokens."""
        words = self.system + "".join(one.line for one in self.shown)
        wide = sum(ord(char) >= 0x2E80 for char in words)
        pictures = sum(
            marked_screen.estimate_picture_tokens(one.seen.size.shrink(max_pixels=self.max_pixels))
            for one in self.shown
        )
        count = self.last - self.first + 1
        return (len(words) - wide) // 4 + wide + pictures, _WORDS_OF_A_STEP * count


@dataclass(frozen=True)
class Prompt:
    """The prompt of questions.

    `language` is the one to answer in, by its name ("German") or as "en" or "zh"; `template` is
    the text of a Jinja template in place of ours. The slots: instruction, language, total, first,
    last, count, earlier (lines), ends, outcome, problem; steps count from 1. A text with {goal} or
    {screenshot_count} is one of MobiAgent's (prompts/annotation_en_general.md of
    https://github.com/IPADS-SAI/MobiAgent/tree/fd5aa72), where doubled braces are braces; what was
    wrong with an answer follows it.
    """

    language: str = "en"
    template: str = ""
    max_pixels: int = marked_screen.MAX_PIXELS

    @property
    def checked_language(self) -> Language | None:
        """The language, if it is one that can be detected in a text."""
        match self.language:
            case "en" | "zh":
                return self.language
            case _:
                return None

    @property
    def source(self) -> str:
        """The template's text."""
        if self.template:
            return self.template
        name = "zh" if self.language == "zh" else "en"
        return files("tapwright.annotate").joinpath(f"prompts/{name}.jinja").read_text("utf-8")

    @classmethod
    def from_file(cls, path: Path, *, language: str, max_pixels: int) -> "Prompt":
        """Make the prompt of a user's own template.

        Raises:
            PromptTemplateError: the file cannot be read, is not a template, or uses other slots.
        """
        try:
            made = cls(language, read_regular(path).decode("utf-8"), max_pixels)
            made.words(instruction="", total=1, first=1, last=1, ends=True, outcome="success")
        except (OSError, UnicodeDecodeError) as error:
            raise PromptTemplateError(f"{path}: cannot be read: {error}") from error
        except PromptTemplateError as error:
            raise PromptTemplateError(f"{path}: {error}", hint=error.hint) from error
        return made

    @cached_property
    def _compiled(self) -> Template:
        jinja = ImmutableSandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )
        return jinja.from_string(self.source)

    def words(
        self,
        *,
        instruction: str,
        total: int,
        first: int,
        last: int,
        ends: bool,
        outcome: str,
        earlier: Sequence[str] = (),
        problem: str = "",
    ) -> str:
        """Render the template; steps count from 1.

        Raises:
            PromptTemplateError: it is not a template, or uses unknown slots.
        """
        if _MOBIAGENT_SLOT.search(self.template):
            filled = _fill_mobiagent(self.template, instruction, last - first + 1)
            return f"{filled}\n\n{problem}" if problem else filled
        try:
            return self._compiled.render(
                instruction=instruction,
                language=_LANGUAGES.get(self.language, self.language),
                total=total,
                first=first,
                last=last,
                count=last - first + 1,
                earlier=list(earlier),
                ends=ends,
                outcome=outcome,
                problem=problem,
            )
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise PromptTemplateError(
                f"the template cannot be filled in: {error}",
                hint="its slots are instruction, language, total, first, last, count, earlier, "
                "ends, outcome and problem",
            ) from error

    def question(
        self, episode: Episode, first: int, last: int, *, problem: str = ""
    ) -> StepQuestion:
        """Make the question about steps `first` to `last`, both counted from 0 and included."""
        steps, total = episode.steps, len(episode.steps)
        lines = [
            f"Step {number} of {total}: "
            + ", then ".join(
                marked_screen.describe_action(action, step.observation.size)
                for action in step.decision.actions
            )
            for number, step in enumerate(steps, 1)
        ]
        screens = [
            QuestionScreen(lines[at], steps[at].observation, steps[at].decision.actions)
            for at in range(first, last + 1)
        ]
        after = steps[last + 1].observation if last + 1 < total else episode.final
        if after is not None:
            line = f"The screen after step {last + 1}, for which no item is wanted"
            screens.append(QuestionScreen(line, after))
        ending = steps[last].decision.ending
        words = self.words(
            instruction=episode.instruction,
            total=total,
            first=first + 1,
            last=last + 1,
            ends=ending is not None,
            outcome=ending.outcome if ending is not None else "",
            earlier=lines[max(0, first - _EARLIER_STEPS) : first],
            problem=problem,
        )
        return StepQuestion(first, last, words, tuple(screens), self.max_pixels)


def _fill_mobiagent(template: str, goal: str, count: int) -> str:
    values = {"{{": "{", "}}": "}", "{goal}": goal, "{screenshot_count}": str(count)}
    return _MOBIAGENT_MARK.sub(lambda found: values[found[0]], template)


def model_settings(model: Model) -> dict[str, JsonValue]:
    """Returns a model's settings without the address of its server."""
    return {name: value for name, value in model.settings.items() if name != "base_url"}


def split_windows(steps: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yields the first and the last step of each window, from 0, both included.

    A window has at most `size` steps and begins with the last `overlap` ones of that before it.
    """
    first = 0
    while first < steps:
        last = min(first + size, steps) - 1
        yield first, last
        if last == steps - 1:
            return
        first = last + 1 - overlap
