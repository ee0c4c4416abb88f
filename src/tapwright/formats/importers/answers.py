"""A model's whole answer, as runners record it, split into its thought and the rest.

The thought is what stands before the action, by the rules with which `conventions` read answers:
thoughts between a family's marks, `Thought:` before `Action:`, sections before a block of code,
words before a tool call or an object. An answer with an action is kept as it came, too, and never
taken for a thought; words without an action are a thought as a whole.
"""

import re
from dataclasses import dataclass

from tapwright.conventions.parsing import find_objects, reasoning_before, split_at_last
from tapwright.conventions.thoughts import join_parts, split_thoughts

__all__ = ["Answered", "split_answer"]

_ACTION = re.compile(
    r"""
    ^[ \t]*+(?:\#{1,4}[ \t]*+|\*\*|\()?(?:Action|Code|Grounded\ Action)(?:\*\*|\))?[ \t]*+(?::|$)
    | ^[ \t]*+(?:[aA]ctions?|动作|操作)[ \t]*+[:：]
    | \sAction:
    | ```
    | <\s?(?:seed:)?(?:tool_call|function_call|function|action|invoke|operation|answer)
      (?:_never_used_\w{1,64})?\b
    | \[TOOL_USE\] | ToolUseBlock\(
    | ^[ \t]*+(?:pyautogui|computer|agent|pyperclip)\.\w+\(
    | ^[ \t]*+\w+\((?:start_box|point|start_point|content|key|element|x)\s?=
    | ^[ \t]*+(?:DONE|WAIT|FAIL)[ \t]*+$
    | ^[ \t]*+do\(\s*+action\s*+= | ^[ \t]*+finish\(
    """,
    re.MULTILINE | re.VERBOSE,
)
_HEADING = re.compile(
    r"\A\s*+(?:\[(?:THINKING|TEXT)\]"
    r"|(?:\#{1,4}[ \t]*+|\*\*)?(?:[tT]houghts?|Reason(?:ing)?)(?:\*\*)?:?)"
    r"(?=[\s*]|\Z)[ \t*]*+|\A\s*+思考[:：]\s*+"
)
_SECTION = re.compile(r"^(?:\#{1,4}[ \t]*+)(?:Thought|Reasoning):?[ \t]*+$", re.MULTILINE)

_OBJECT = re.compile(r"(?=\{\s*+[\"'])")
_ACTS = frozenset(
    {
        "action",
        "Action",
        "actions",
        "action_type",
        "arguments",
        "function",
        "parameters",
        "coordinate",
    }
    | {"POINT", "PRESS", "TYPE", "STATUS", "DIRECTION", "to"}
)
_THOUGHTS = ("thought", "Thought", "thoughts", "reasoning", "think", "reason")


@dataclass(frozen=True, slots=True)
class Answered:
    """The thought of an answer; and the answer as it came, "" where it is no more than that."""

    thought: str = ""
    raw: str = ""


def split_answer(text: str) -> Answered:
    """Splits an answer; one whose thoughts do not end is a thought, and committed to nothing."""
    thoughts, answer = split_thoughts(text)
    if answer is None:
        return Answered(thoughts.strip(), text)
    for value, begin, _ in find_objects(answer, _OBJECT) if "{" in answer else ():
        if not _ACTS.isdisjoint(value):
            own = next((str(value[name]) for name in _THOUGHTS if value.get(name)), "")
            before = _HEADING.sub("", reasoning_before(answer[:begin]))
            return Answered(join_parts(thoughts, _ACTION.split(before)[0], own), text)
    found = _ACTION.search(answer)
    if found is None:
        return Answered(join_parts(thoughts, _HEADING.sub("", answer)), text if thoughts else "")
    before = reasoning_before(answer[: found.start()])
    section = split_at_last(before, _SECTION)[1] or _HEADING.sub("", before)
    return Answered(join_parts(thoughts, section), text)
