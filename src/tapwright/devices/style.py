"""The effect of an element's computed styles on its visibility and on what it covers."""

import re

from tapwright.devices.occlusion import CssRect

STYLES = (
    "display", "visibility", "opacity", "position", "z-index", "overflow-x", "overflow-y",
    "cursor", "background-color", "background-image", "pointer-events",
    "border-left-width", "border-top-width",
)  # fmt: skip
"""The computed styles that a snapshot must carry, in this order."""

# "rgba(r, g, b, a)", or after a slash in every newer notation.
_ALPHA = re.compile(
    r"(?:^rgba\(.*,|/)\s*(?:(?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)(?P<percent>%?)|none)"
    r"\s*\)$"
)


class Style:
    """The effect of one combination of computed styles, shared by all elements that have it."""

    def __init__(self, values: list[str]) -> None:
        (display, visibility, opacity, position, z_index, overflow_x, overflow_y, cursor, color,
         image, pointer_events, border_left, border_top) = values  # fmt: skip
        self.inline = display == "inline"
        self.invisible = visibility != "visible"
        self.transparent = opacity == "0"
        self.fixed = position == "fixed"
        self.absolute = position == "absolute"
        self.positioned = position != "static"
        # Only these are drawn over their neighbours; the rest of a page lies side by side.
        self.lifted = position in {"fixed", "absolute", "sticky"} or z_index != "auto"
        self.scrolls_x = overflow_x in {"auto", "scroll"}
        self.scrolls_y = overflow_y in {"auto", "scroll"}
        self.clips = overflow_x != "visible" or overflow_y != "visible"
        self.pointer = cursor == "pointer"
        alpha = 1.0 if image != "none" else _alpha(color)
        catches = pointer_events != "none"
        self.covers = alpha >= 0.9 or (alpha > 0.02 and catches)
        self.catches = catches
        self._borders = _px(border_left), _px(border_top)

    def within_borders(self, edges: CssRect) -> CssRect:
        """What an element shows of its content, its borders being alike on opposite sides."""
        width, height = self._borders
        return edges[0] + width, edges[1] + height, edges[2] - width, edges[3] - height


def _px(length: str) -> float:
    return float(length.removesuffix("px")) if length.endswith("px") else 0.0


def _alpha(color: str) -> float:
    """How opaque a computed color is; what is not understood is taken for opaque."""
    if color == "transparent":
        return 0.0
    found = _ALPHA.search(color)
    if found is None:
        return 1.0
    # A missing component, "none", counts as 0 (https://www.w3.org/TR/css-color-4/#missing).
    number = float(found["number"] or 0)
    return number / 100 if found["percent"] else number
