"""A convention of your own: how a model is asked for the next action, and how its answer is read.

    <thought>It is the next thing.</thought>
    <action>tap 250 750</action>

Places are in thousandths of the screen here. What the grammar has no words for is refused.

Try it: tapwright eval run l2 --data DIR -m openai/NAME --convention own:CONVENTION
"""

import re
from collections.abc import Sequence

from tapwright import Decision, Finish, Tap, TypeText
from tapwright.conventions.convention import from_point, to_point
from tapwright.core.actions import Action
from tapwright.core.episode import Step
from tapwright.core.geometry import Size
from tapwright.core.messages import Message, Picture, Text
from tapwright.core.observation import Observation
from tapwright.errors import BadAnswerError, OffScreenError, UnsupportedByConventionError

_ANSWER = re.compile(r"\s*<thought>(.*?)</thought>\s*<action>(.*)</action>\s*\Z", re.DOTALL)
_ASKED = """You use a phone. The task: {instruction}
Done so far: {done}
Answer with <thought>why</thought><action>one of these</action>:
tap X Y (0 to 1000, from the upper left), type TEXT, finish"""


class Own:
    """One model family's prompt and grammar."""

    name = "own"
    space = "permille"
    source = "tapwright"  # "owner/repository@commit path" where the words are somebody's

    def prompt(
        self, instruction: str, history: Sequence[Step], observation: Observation
    ) -> list[Message]:
        """The messages that request the next decision, with the screen as it is now."""
        done = "; ".join(step.decision.target or step.decision.first.type for step in history)
        words = _ASKED.format(instruction=instruction, done=done or "nothing")
        return [Message("user", (Picture(observation.screenshot), Text(words)))]

    def render(self, decision: Decision, size: Size) -> str:
        """The answer that a model of this family gives for a decision: what is taught."""
        thought = f"<thought>{decision.reasoning}</thought>"
        return f"{thought}\n<action>{_words(decision.action, size)}</action>"

    def parse(self, text: str, size: Size) -> Decision:
        """The decision of an answer. Law: it reads back whatever `render` writes."""
        # Half a character, where an answer was cut, goes nowhere.
        clean = text.encode("utf-8", "replace").decode()
        found = _ANSWER.match(clean)
        if found is None:
            raise BadAnswerError("there is no <thought> with an <action> after it")
        return Decision(_action(found[2], size), found[1])


def _words(action: Action, size: Size) -> str:
    match action:
        case Tap(at=at, button="left", held=()):
            x, y = from_point(at, size, "permille")
            return f"tap {round(x)} {round(y)}"
        case TypeText(text=text, at=None):
            return f"type {text}"
        case Finish(outcome="success"):
            return "finish"
        case _:
            raise UnsupportedByConventionError(f"no words for {action.type}")


def _action(words: str, size: Size) -> Action:
    verb, _, rest = words.partition(" ")
    match verb, rest.split():
        case "tap", [x, y] if x.isdecimal() and y.isdecimal():
            try:
                return Tap(at=to_point(int(x), int(y), size, "permille"))
            except OffScreenError as error:
                raise BadAnswerError(str(error)) from error
        case "type", _:
            return TypeText(text=rest)
        case "finish", []:
            return Finish()
        case _:
            raise BadAnswerError(f"{words[:40]!r} is none of tap, type and finish")


CONVENTION = Own()
