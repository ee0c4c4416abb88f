"""Where a model's thoughts end: one rule for agents, benchmarks and annotators.

Reasoning models write their thoughts before their answer, between marks of their family:

    <think>…</think>                (also thinking, thought, thoughts, reasoning, reflection, and
                                    Seed's doubaothinking and think_never_used_<digits>)
    <|begin_of_thought|>…<|end_of_thought|>
    ◁think▷…◁/think▷
    [THINK]…[/THINK]
    <|channel|>analysis<|message|>…<|channel|>final<|message|>

Chat templates that put the first mark into the prompt leave only the last one in the answer. What
is thought is a draft, so none of it counts; thoughts that do not end commit to nothing.

A mark inside a quoted string belongs to the answer: an action may type it. Every pattern takes one
pass over the text.
"""

import re

__all__ = ["join_parts", "split_thoughts", "strip_thoughts"]

_TAG = (
    r"(?:think(?:_never_used_[0-9a-f]{1,64})?|thinking|doubaothinking|thoughts?|reasoning"
    r"|reflection|seed:think)"
)
_END = rf"</\s?{_TAG}\s?>|<\|end_of_thought\|>|◁/think▷|\[/THINK\]"
_HAS_END = re.compile(_END, re.IGNORECASE)
_LAST_END = re.compile(rf"(?s:.*)({_END})", re.IGNORECASE)
# A mark begins thoughts where a line begins, as words may name one in passing.
_BEGIN = re.compile(
    rf"^[ \t]*+(?:<\s?{_TAG}\s?>|<\|begin_of_thought\|>|◁think▷|\[THINK\])",
    re.IGNORECASE | re.MULTILINE,
)
_CHANNEL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>(\w{0,20})(?:(?!<\|(?:message|channel))[^\n]){0,200}"
    r"<\|message\|>"
)
_HAS_CHANNEL = "<|channel|>"
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call)\|>")
_QUOTE = re.compile(r"(?<!\\)[\"']")
_CLOSES = re.compile(r"\s{0,8}(?:[,)\]}:]|\Z)")
_LONGEST_QUOTED = 2_000


def split_thoughts(text: str) -> tuple[str, str | None]:
    """The thoughts of an answer without their marks, and what stands behind them.

    The second is None when the thoughts do not end; the first is "" when there are none.
    """
    before, message = _split_channels(text)
    if message is None:
        return before, None
    thoughts, answer = "", message
    if (end := _find_end(message)) is not None:
        thoughts, answer = message[: end[0]], message[end[1] :]
    thoughts = _BEGIN.sub("", thoughts, count=1)
    unfinished = _BEGIN.search(answer)
    if unfinished is not None:
        if not answer[: unfinished.start()].strip():
            return join_parts(before, thoughts, answer[unfinished.end() :]), None
        answer = answer[: unfinished.start()]
    return join_parts(before, thoughts), answer


def strip_thoughts(text: str) -> str:
    """The answer behind the thoughts; "" when they do not end."""
    return split_thoughts(text)[1] or ""


def _split_channels(text: str) -> tuple[str, str | None]:
    """The messages on other channels, and the last one; None where that one is a thought."""
    channels = list(_CHANNEL.finditer(text)) if _HAS_CHANNEL in text else []
    if not channels:
        return "", text
    last = channels[-1]
    message = text[last.end() :]
    if last[1].lower() == "analysis":
        return message.strip(), None
    others = _END_OF_MESSAGE.sub("", _CHANNEL.sub("\n", text[: last.start()]))
    return others.strip(), message


def _find_end(text: str) -> tuple[int, int] | None:
    """Where the last mark that is not quoted begins and ends."""
    if _HAS_END.search(text) is None:
        return None
    before = len(text)
    while (found := _LAST_END.match(text, 0, before)) is not None:
        if not _is_quoted(text, *found.span(1)):
            return found.span(1)
        before = found.start(1)
    return None


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Whether a mark stands in a quoted string of its line; far quotation marks are not looked for.

    Then the next quotation mark is one that stands before, too, and closes an argument or a value.
    """
    found = _QUOTE.search(text, end, end + _LONGEST_QUOTED)
    if found is None or _CLOSES.match(text, found.end()) is None:
        return False
    first = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_QUOTED)
    return text.find(found[0], first, start) >= 0


def join_parts(*parts: str) -> str:
    """The parts that say something, a line for each."""
    return "\n".join(part.strip() for part in parts if part.strip())
