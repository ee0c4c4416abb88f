"""Whether words for an element are a model's own line for the whole step.

Families write a line of their own before a call ("Click on the search bar."), and are shown it
again as history. A line that does not name its element in our words is kept whole as the target;
it must come back as it is, where the name of an element ("search bar") gets our verb before it.
"""

import re
from collections.abc import Mapping

from tapwright.core.actions import Action

__all__ = ["is_own_line"]

_POINT = (
    "click", "double-click", "right-click", "tap", "double-tap", "press", "touch", "select",
    "choose", "long-press", "hold", "hover", "move", "点击", "双击", "长按", "单击", "选择",
)  # fmt: skip
_VERBS: Mapping[str, tuple[str, ...]] = {
    "type_text": ("type", "enter", "input", "write", "fill", "输入"),
    "swipe": ("swipe", "scroll", "slide", "drag", "pull", "滑动", "向"),
    "scroll": ("scroll", "swipe", "滚动", "滑动", "向"),
    "drag": ("drag", "move", "slide", "拖动"),
    "press_key": ("press", "hit", "go", "return", "navigate", "back", "home", "返回", "按"),
    "hotkey": ("press", "use", "hit", "按"),
    "open_app": ("open", "launch", "start", "打开"),
    "goto": ("go", "navigate", "open", "visit", "打开", "访问"),
    "new_tab": ("open", "打开", "新建"),
    "close_tab": ("close", "关闭"),
    "switch_tab": ("switch", "切换"),
    "wait": ("wait", "pause", "等待"),
    "answer": ("answer", "reply", "回答"),
}  # fmt: skip
"""How a line about such an action begins, in lower case; one about a place begins as `_POINT`."""

_VERB_FIRST = re.compile(
    r"[\w-]+ (?:the|a|an|this|that|all|my|your)\b"
    r"|(?:go|navigate|return|proceed|look|search|log|sign|turn) (?:to|back|for|in|on|off|out)\b",
    re.IGNORECASE,
)
_NOUN_FIRST = re.compile(
    r"(?:the|a|an|this|that|on|in|at|to|of|for|with|from|into|near|under)\b", re.IGNORECASE
)
_FULL_STOP = re.compile(r"[.!。！]\Z")


def is_own_line(words: str, action: Action) -> bool:
    """Whether `words`, on one line, are what to do, and not only what to do it to."""
    if action.type == "finish":
        return True
    first, verbs = words.lower(), _VERBS.get(action.type, _POINT)
    if first.startswith(verbs):  # few are, and this asks for all of them at once
        for verb in verbs:
            if first.startswith(verb) and not (verb.isascii() and first[len(verb) :][:1].isalnum()):
                return True
    if _NOUN_FIRST.match(words):
        return False
    return bool(_VERB_FIRST.match(words) or _FULL_STOP.search(words))
