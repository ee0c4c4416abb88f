"""The elements of a screen by number, as AndroidWorld's M3A lists and counts them.

Follows https://github.com/google-research/android_world/blob/
d9c569f764b3a5629321858de03ff653d0f24056/android_world: forest_to_ui_elements of
env/representation_utils.py, the descriptions of agents/m3a.py. What is listed is each node without
children, with a description, or that scrolls, in document order from 0. A dump of uiautomator has
neither tooltips nor what is editable: the latter is read off the class.
"""

from collections.abc import Sequence

from tapwright.conventions.parsing import bad_answer
from tapwright.core.geometry import Box
from tapwright.core.observation import Observation, UiNode
from tapwright.errors import BadTreeError

__all__ = ["describe_elements", "element_box"]


def describe_elements(observation: Observation) -> str:
    """A line for each element that can be seen; "" where there is no hierarchy to be read."""
    return "\n".join(
        _describe(number, node)
        for number, node in enumerate(_elements(observation))
        if node.box is not None
    )


def element_box(observation: Observation, number: int) -> Box:
    """Where the element of a number is.

    Raises:
        BadAnswerError: there is none of that number, or it is off the screen.
    """
    elements = _elements(observation)
    if not elements:
        raise bad_answer("an index points into a list of elements, and this screen has none")
    box = elements[number].box if 0 <= number < len(elements) else None
    if box is None:
        raise bad_answer(f"the index is {number}, where no element is; expected one that is listed")
    return box


def _elements(observation: Observation) -> Sequence[UiNode]:
    tree = observation.ui_tree
    try:
        if tree is None or tree.boxes_only:
            return ()
        return [
            node
            for node in tree.nodes
            if not node.children or node.description or node.is_("scrollable")
        ]
    except BadTreeError:
        return ()


def _describe(number: int, node: UiNode) -> str:
    texts = {"text": node.text, "content_description": node.description, "hint_text": node.hint}
    fields = [
        f'"index": {number}',
        *(f'"{name}": "{text}"' for name, text in texts.items() if text),
    ]
    flags = {
        "is_clickable": node.is_("clickable"),
        "is_long_clickable": node.is_("long-clickable"),
        "is_editable": node.class_name.endswith("EditText"),
    }
    fields += [f'"{name}": {flag}' for name, flag in flags.items()]
    fields += [f'"is_{flag}": True' for flag in ("scrollable", "focusable") if node.is_(flag)]
    fields += [f'"is_{flag}": {node.is_(flag)}' for flag in ("selected", "checked")]
    return f"UI element {number}: {{{', '.join(fields)}}}"
