"""The next touch of a recording, where the instruction leaves no alternative."""

from dataclasses import dataclass

from tapwright.agents.text_matching import tokens
from tapwright.benchmarks.elements import Element
from tapwright.benchmarks.generated_screens import RecordedScreen
from tapwright.benchmarks.generated_wording import SEARCH

__all__ = ["NextTouch", "find_next_touch"]

_ENDS = frozenset(
    ("save", "done", "ok", "send", "confirm", "apply", "create", "place order", "add to cart",
     "保存", "完成", "确定", "发送", "确认", "创建", "提交订单", "加入购物车"),
)  # fmt: skip

_CONFIRM = frozenset(("enter", "done", "go", "next", "回车", "完成", "前往", "下一步"))


@dataclass(frozen=True, slots=True)
class NextTouch:
    """The element that is touched; `rivals` are others with which one could go on as well.

    `doubtful` are those that are no good as wrong answers although the task does not lead there.
    """

    element: Element
    rivals: tuple[Element, ...]
    doubtful: tuple[Element, ...]


def find_next_touch(screen: RecordedScreen) -> NextTouch | None:
    """The element that has to be touched here; None when it need not be that one.

    It has to be when the instruction names it, or when it ends a task that has come off. A search
    is never the only way, a field with the focus need not be touched, and a touch that changes
    nothing to be seen could as well be left out.
    """
    element = screen.touched
    if element is None or element not in screen.content or not element.alone:
        return None
    others = [other for other in screen.content if other is not element]
    searches = {node.order for node in screen.servers(SEARCH)}
    empty = [other for other in others if other.role == "text field" and not other.node.text]
    if (
        element.node.order in searches
        or (element.role == "text field" and element.node.is_("focused"))
        or screen.still
    ):
        return None
    rivals = [other for other in others if other.label.casefold() in screen.later]
    if element.label.casefold() in _ENDS and screen.last:
        rivals += [other for other in others if other.label.casefold() in _ENDS]
    else:
        wanted = tokens(screen.instruction)
        if _is_named(element, wanted):
            rivals += [other for other in others if _is_named(other, wanted)]
        elif _is_hinted(element, wanted):
            rivals += [other for other in others if _is_hinted(other, wanted)]
            rivals += [other for other in others if other.node.order in searches]
        else:
            return None
    if element.role == "text field":
        rivals += empty
    doubtful = [
        other
        for other in others
        if other in empty or other.node.order in searches or other.label.casefold() in _CONFIRM
    ]
    return NextTouch(element, tuple(rivals), tuple(doubtful))


def _is_named(element: Element, wanted: frozenset[str]) -> bool:
    """Whether the instruction holds all of the element's name."""
    own = tokens(element.label)
    return bool(own) and own <= wanted


def _is_hinted(element: Element, wanted: frozenset[str]) -> bool:
    """Whether the instruction has a word of the element's name or of what stands in it."""
    words = (f"{part.text} {part.description}" for part in element.node.walk())
    return bool(tokens(" ".join((element.label, *words))) & wanted)
