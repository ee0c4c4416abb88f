"""A model that gives prepared answers: every test and tutorial runs on it, without a network."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat

from pydantic import JsonValue

from tapwright.core.messages import Message
from tapwright.errors import UsageError
from tapwright.models.model import Completion, Usage

__all__ = ["ScriptedModel"]


class ScriptedModel:
    """Answers from a list, in order, the last one for ever; or from a function of the messages.

    The conversations that it received are kept in `requests`.
    """

    def __init__(self, answers: Iterable[str] | Callable[[Sequence[Message]], str]) -> None:
        self.requests: list[tuple[Message, ...]] = []
        if callable(answers):
            self._answer = answers
        else:
            given = list(answers)
            if not given:
                raise UsageError("a scripted model needs at least one answer")
            script = chain(given, repeat(given[-1]))
            self._answer = lambda _: next(script)

    @classmethod
    def named(
        cls, name: str, *, base_url: str | None = None, api_key: str | None = None
    ) -> "ScriptedModel":
        """The model that `scripted/<text>` names: it always answers that text.

        It has no server, so `base_url` and `api_key` change nothing.
        """
        return cls([name])

    name = "scripted"

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """None: the script is all."""
        return {}

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """The next answer; tokens are counted as words."""
        self.requests.append(tuple(messages))
        text = self._answer(messages)
        words = sum(len(message.text.split()) for message in messages)
        return Completion(text, Usage(words, len(text.split())))

    async def close(self) -> None:
        """Nothing to close."""
