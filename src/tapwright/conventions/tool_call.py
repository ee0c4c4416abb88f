"""A call of a tool as JSON in tags: `<tool_call>{"name": …, "arguments": …}</tool_call>`.

Follows the `nous` template of Qwen-Agent, which Qwen's models and those built on them were trained
with (https://github.com/QwenLM/Qwen3-VL/blob/8cdcb85d224a71da4a999e73877fd5c686db5237
/cookbooks/mobile_agent.ipynb). A call is also read without tags, in a fence, and as its arguments
alone, as servers that split tool calls off hand them on.
"""

import json
from collections.abc import Collection, Mapping

from tapwright.conventions.parsing import (
    JsonObject,
    bad_answer,
    build_action,
    decode_json,
    read_number,
    shorten,
)
from tapwright.core.actions import Finish, Wait

__all__ = ["read_finish", "read_tool_call", "read_wait", "wrap_tool_call"]

_FAILED = ("failure", "fail")


def wrap_tool_call(tool: str, arguments: JsonObject) -> str:
    """The call as the model writes it."""
    call = json.dumps({"name": tool, "arguments": arguments}, ensure_ascii=False)
    return f"<tool_call>\n{call}\n</tool_call>"


def read_tool_call(
    call: JsonObject, tool: str, verbs: Collection[str], aliases: Mapping[str, str]
) -> tuple[str, JsonObject]:
    """The verb of a call of `tool`, and its arguments.

    `aliases` are other words for verbs, which upstream's own readers accept.

    Raises:
        BadAnswerError: it is a call of another tool, or none of `verbs`.
    """
    name = call.get("name", tool)
    given = decode_json(call.get("arguments", call), "the arguments")
    if name != tool or not isinstance(given, dict):
        raise bad_answer(f"a call of {shorten(name)}; expected {tool} with arguments")
    word = given.get("action")
    verb = aliases.get(word, word) if isinstance(word, str) else word
    if not isinstance(verb, str) or verb not in verbs:
        raise bad_answer(
            f"the action is {shorten(word)}; expected one of {', '.join(sorted(verbs))}"
        )
    return verb, given


def read_wait(given: JsonObject) -> Wait:
    """A wait by `time` in seconds, or of no stated length.

    Raises:
        BadAnswerError: the time is no number, or out of range.
    """
    seconds = given.get("time")
    return (
        Wait() if seconds is None else build_action(Wait, duration_s=read_number(seconds, "time"))
    )


def read_finish(given: JsonObject) -> Finish:
    """The end by `status`; a call without one ends as success.

    Raises:
        BadAnswerError: it is another status.
    """
    status = given.get("status", "success")
    if status != "success" and status not in _FAILED:
        raise bad_answer(f"the status is {shorten(status)}; expected success or failure")
    return Finish(outcome="success" if status == "success" else "failure")
