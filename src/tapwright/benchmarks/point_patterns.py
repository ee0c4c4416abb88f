"""The words and marks around numbers that make them a place, or something else.

Each repetition has a small upper bound, and a pattern is tried only near a number.
"""

import re

__all__ = [
    "CALL", "FINAL", "FROM", "FROM_EDGES", "GAP", "GESTURES", "LABEL_BEFORE", "NOT_FINAL", "NUMBER",
    "SIDES", "SIZE", "SIZE_BEFORE", "SIZE_LABELS", "SWIPES", "UNIT", "is_percent",
]  # fmt: skip

NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,2})?"
    r"(?![\w]*\d|(?!pixels?\b|percent\b)\w*[a-zA-Z]{4})"
    r"|(?<=loc_)\d{1,6}|(?<=[xyXY])(?<!\d[xX])\d{2,6}(?!\d)(?![\"'`*]{0,2}\s{0,2}[=:])",
    re.ASCII,
)

SIZE_LABELS = frozenset(("w", "h", "width", "height"))
_LABEL = (
    r"(?:[xy]_?(?:min|max|center)|cent(?:er|re)[_\s]?[xy]|c[xy]|[xy][-_\s]?coord(?:inate)?|"
    r"[xy][-\s]axis|[xy]坐标|[xy]轴|pos_?[xy]|coord(?:inate)?_?[xy]|距?离?(?:左边|左侧|顶部|上边)|"
    r"[xy]_?[0-9]?|left|top|right|bottom|width|height|w|h|horizontal(?:ly)?|vertical(?:ly)?|"
    r"横坐标|纵坐标)"
)
_QUOTES = r"[\"'`*\\]{0,2}"
_IS = r"(?:[:=→≈~]|\bis\b(?:\s(?:about|around|approximately|roughly))?|约?为|是)?"
GAP = re.compile(
    r"(?:[\s,;|\[\](){}<>\"'`*$\\]|(?:px|pixels?|pts?|%|percent|像素)(?![a-z])|(?<=[)\]])\s?[-–—]\s?(?=[(\[])|\band\b|和|及"
    r"|</?(?:x|y|x[12]|y[12]|point|loc|arg_key|arg_value)>|<\|(?:box|point)_(?:start|end)\|>|<loc_"
    rf"|(?:\bthe\s)?\b{_LABEL}(?![a-z]){_QUOTES}\s{{0,4}}{_IS}"
    r"|\b(?:the\s)?(?:top|bottom|upper|lower)[-\s]?(?:left|right)(?:\scorner)?(?:\sis)?(?:\sat)?:?"
    r"|[左右][上下]角|[-*]\s|\n\s{0,8}\d{1,2}\.\s)*",
    re.IGNORECASE,
)
"""What may stand between the numbers of one place."""

UNIT = re.compile(r"\s?(px|pixels?|pts?|像素|percent\b|%)", re.IGNORECASE)
LABEL_BEFORE = re.compile(
    rf"(?<![a-z])({_LABEL})[\"'`*>\\]{{0,3}}\s{{0,4}}{_IS}\s{{0,4}}{_QUOTES}$", re.IGNORECASE
)
SIZE_BEFORE = re.compile(
    r"(?:resolution|size|dimensions?|screen(?:shot)?(?: is)?|image(?: is)?|width|height|canvas|"
    r"viewport|display|分辨率|尺寸|大小|宽|高|屏幕)[^.!?\n。]{0,24}$",
    re.IGNORECASE,
)
NOT_FINAL = re.compile(
    r"(?:\b(?:not|instead of|rather than|initially|at first|first thought|considered|ranges?(?!:)|"
    r"spans?|between|step|steps|version|page|item|row|column|chapter|until|january|february|march|april|may|"
    r"june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|"
    r"nov|dec)\.?|不是|而不是|不在|版本|第)[\s:(\[]{0,3}$",
    re.IGNORECASE,
)
FINAL = re.compile(
    r"(?:(?:\b|_)(?:coordinates?|coords?|position|point|location|located|centre|center|click|tap|press|at|"
    r"answer|target|is|to|output|result|final|moveto|doubleclick|rightclick|select|touch|boxed|bbox|"
    r"box|pos|about|around|approximately|pixel)\b|坐标|位置|位于|点击|中心|在|为|是|点|处|答案)[^0-9\n]{0,24}$",
    re.IGNORECASE,
)
FROM = re.compile(
    r"\b(?:from|between|spans?|ranges?|extends?|covers?|b?box|bounds|region|area|rectangle)\b|从|边框",
    re.IGNORECASE,
)
"""The words before the first end of a range, or before the first corner of a box."""

CALL = re.compile(
    r"\b([A-Za-z_]{2,30})\s?\("
    r"|[\"'](?:action|action_type|function|type)[\"']\s?:\s?[\"'](\w{2,30})",
    re.ASCII,
)
GESTURES = frozenset(
    [
        "swipe", "drag", "scroll", "fling", "pinch", "dragto", "draganddrop", "dragrel",
        "leftclickdrag", "type", "input", "inputtext", "wait", "hotkey", "presskey", "key", "press",
        "write", "typewrite", "sleep",
    ]
)  # fmt: skip
"""Calls whose numbers are no answer to "where is it?", without case and underscores."""

_FAR = r"[-+]?\d{1,5}(?:\.\d{1,10})?"
_FAR_UNIT = r"\s?(?P<%s>%%|px|pixels?|percent)\s(?:of the way\s)?"
_ACROSS = (
    r"(?:(?:from|of|across|along)\s(?:the\s)?(?:left|width|screen width)\b|to the right\b|"
    r"across\b|horizontally\b)"
)
_DOWN = (
    r"(?:(?:from|of|to|down|along)\s?(?:the\s)?(?:top|height|screen height)\b|down\b|vertically\b)"
)
FROM_EDGES = re.compile(
    rf"(?P<x>{_FAR}){_FAR_UNIT % 'unit'}{_ACROSS}[^0-9]{{0,40}}?"
    rf"(?P<y>{_FAR})\s?(?:%|px|pixels?|percent)\s(?:of the way\s)?{_DOWN}"
    rf"|(?P<y2>{_FAR}){_FAR_UNIT % 'unit2'}{_DOWN}[^0-9]{{0,40}}?"
    rf"(?P<x2>{_FAR})\s?(?:%|px|pixels?|percent)\s(?:of the way\s)?{_ACROSS}",
    re.IGNORECASE,
)
"""A place in words: "50% from the left and 25% from the top", or the other way round."""

_TO = rf"({_FAR})\s?(?:-|–|—|~|to|and)\s?({_FAR})"
SIDES = re.compile(
    rf"\bx\s?(?:[:=]|(?:ranges\s)?from|between|in)\s?\[?{_TO}[^0-9]{{1,16}}?"
    rf"\by\s?(?:[:=]|(?:ranges\s)?from|between|in)\s?\[?{_TO}",
    re.IGNORECASE,
)
"""A box in words: "x from 500 to 580 and y from 1100 to 1300"."""

SIZE = re.compile(
    r"(?:resolution|dimensions|(?:image|screen|screenshot|picture)[_\s]size|of size|分辨率|尺寸)"
    r"[\"']?\s?(?:is|are|of|:|=|为|是)?$",
    re.IGNORECASE,
)
"""What stands right before a pair of numbers that is a size."""

SWIPES = re.compile(r"\b(?:swip|drag|scroll|fling)\w{0,4}\b|滑动|拖", re.IGNORECASE)
"""A gesture in words, whose ends are no box."""


def is_percent(unit: str) -> bool:
    """Whether a unit that stands behind a number is a percentage."""
    return unit.lower() in ("%", "percent")
