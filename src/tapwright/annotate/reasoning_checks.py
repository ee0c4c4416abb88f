"""Checks of a reasoning: placeholders, copies, contradictions, coordinates, mention of marks."""

import re
from collections.abc import Iterator, Mapping, Sequence

from tapwright.annotate.function_calls import Direction, FunctionCall
from tapwright.core.language import language_of

__all__ = [
    "find_copies", "find_warnings", "has_coordinates", "is_contradictory", "is_coordinates",
    "is_in_language", "is_no_element", "is_placeholder", "mentions_failure",
]  # fmt: skip

_PLACEHOLDERS = re.compile(
    r"同上(?:一步|文|面|述)?|同前(?:一步|面)?|如上(?:所述|文)?|同第.{1,2}步|见上(?:文|一步)?|"
    r"[与和同](?:上一步|前一步|上面|上文|前面|第.{1,2}步)(?:相同|一样|一致)?|"
    r"省?略|无|没有|推理(?:过程)?|思考(?:过程)?|理由|原因|"
    r"(?:the )?same(?: (?:reason(?:ing)?|thought))?(?: as (?:the )?"
    r"(?:above|before|previous|last|(?:previous |last )?step(?: \d+)?))?|"
    r"ditto|idem|(?:as|see) (?:above|before)|omitted|"
    r"n/?a|none|null|nil|undefined|todo|tbd|reason(?:ing)?|thoughts?|string|text|[\W_]*",
    re.IGNORECASE,
)
_NO_ELEMENTS = re.compile(
    r"未知|不明|不详|空|(?:目标)?元素|控件|(?:the )?(?:target[ _]?)?element|unknown(?: element)?",
    re.IGNORECASE,
)
_AROUND = " \t\r\n\"'“”‘’「」()（）[]【】<>《》{}。.!！…"
_NUMBER = r"\d+(?:\.\d+)?\s*(?:%|px|像素)?"
_COORDINATES = re.compile(
    rf"[\[(（【<{{]\s*{_NUMBER}\s*[,，;、\s]\s*{_NUMBER}(?:\s*[,，;、\s]\s*{_NUMBER}){{0,2}}\s*[\])）】>}}]"
    rf"|\b[xXyY]\d?\s*[=:：]\s*\d"
)
_MARKUP = re.compile(r"<[|/]?\w*(?:point|box)\w*\|?>", re.IGNORECASE)
_COORDINATE_WORDS = re.compile(
    r"坐标|位于|位置|处|点击?|像素|屏幕|的|在|"
    r"\b(?:coordinates?|position|points?|pixels?|at|the|screen|click|b?box|[xy]\d?)\b|"
    r"(?<=\d)px\b",
    re.IGNORECASE,
)
_LEAK = re.compile(
    r"红(?:色)?(?:的)?(?:圆?圈|圆环|圆|环|箭头|框|字|标记|标注|文字)|标红|"
    r"(?:截图|图片|图)(?:[中上里])?(?:的)?(?:标注|标记)|"
    r"\bred (?:circle|ring|arrow|mark|box|caption|text|annotation|font|dot)|"
    r"\b(?:annotated|highlighted|circled) (?:in|by|with) red|"
    r"\bscreenshot'?s? (?:annotation|caption)",
    re.IGNORECASE,
)
_MOVES = r"(?:轻|快速|慢慢|继续|再次|再)?(?:滑|划|拖|推|扫)"
_FINGER_MOVES = r"\b(?:swip|drag|flick|pull)\w* (?:the \w+ |my finger |finger )?"


def _finger(way: str, opposite: str, english: str, from_there: str) -> re.Pattern[str]:
    """Returns the pattern of texts in which the finger goes one way, in Chinese and English."""
    return re.compile(
        rf"[向往朝]{way}(?:[侧边方])?{_MOVES}|{way}[滑划]|"
        rf"[从由](?:屏幕)?{opposite}[^，。；]{{0,6}}?[往向到至](?:屏幕)?{way}|"
        rf"{_FINGER_MOVES}(?:{english}(?:wards?)?\b|from (?:the )?{from_there}\b)",
        re.IGNORECASE,
    )


_FINGER: Mapping[Direction, re.Pattern[str]] = {
    "UP": _finger("上", "下", "up", "bottom"),
    "DOWN": _finger("下", "上", "down", "top"),
    "LEFT": _finger("左", "右", "left", "right"),
    "RIGHT": _finger("右", "左", "right", "left"),
}
_CONTENT = re.compile(r"[向往][上下左右](?:方)?(?:滚|翻)|\bscroll\w*\b|[上下左右]翻", re.IGNORECASE)
_FAILED = re.compile(
    r"失败|未能|无法(?:完成|继续|找到)|没能|没有完成|"
    r"\bfail(?:ed|ure)?\b|\b(?:could|can)(?: ?not|n't)\b|\bunable\b",
    re.IGNORECASE,
)


def is_placeholder(text: str) -> bool:
    """Whether a text is a placeholder: "same as above", "N/A", "...", "同上"."""
    return _PLACEHOLDERS.fullmatch(text.strip(_AROUND)) is not None


def is_no_element(target: str) -> bool:
    """Whether a description of an element names none: "unknown", "<target_element>", "N/A"."""
    return is_placeholder(target) or _NO_ELEMENTS.fullmatch(target.strip(_AROUND)) is not None


def is_coordinates(target: str) -> bool:
    """Whether a description of an element is nothing but coordinates: "[500, 98]", "(x=1, y=2)"."""
    rest = _COORDINATE_WORDS.sub("", _MARKUP.sub("", target))
    if re.search(r"[^\W\d_]", rest):
        return False
    # A lone number may be the text of the element, such as a key of a calculator.
    return len(re.findall(r"\d+(?:\.\d+)?", target)) > 1


def has_coordinates(text: str) -> bool:
    """Whether a text has coordinates, alone or among other words."""
    return is_coordinates(text) or _COORDINATES.search(text) is not None


def is_contradictory(reasoning: str, call: FunctionCall) -> bool:
    """Whether a swipe's reasoning names only other directions than that of the finger."""
    if call.name != "swipe":
        return False
    named = {way for way, pattern in _FINGER.items() if pattern.search(reasoning)}
    return bool(named) and call.known["direction"] not in named


def find_copies(reasonings: Sequence[str]) -> list[int]:
    """Returns the indices of reasonings that repeat an earlier one letter for letter."""
    seen: set[str] = set()
    found = []
    for number, text in enumerate(reasonings):
        folded = "".join(char for char in text if char.isalnum()).lower()
        if folded and folded in seen:
            found.append(number)
        seen.add(folded)
    return found


def find_warnings(reasoning: str, call: FunctionCall) -> Iterator[str]:
    """Yields the warning codes of an accepted reasoning."""
    if _LEAK.search(reasoning):
        yield "ANNOTATION_LEAK"
    if _COORDINATES.search(reasoning):
        yield "REASONING_COORDINATES"
    if call.name == "swipe":
        finger = any(pattern.search(reasoning) for pattern in _FINGER.values())
        if not finger:
            content = _CONTENT.search(reasoning)
            yield "DIRECTION_PHRASE_AMBIGUOUS" if content else "NO_DIRECTION_PHRASE"
    if call.outcome == "success" and mentions_failure(reasoning):
        yield "DONE_SAYS_FAILED"


def mentions_failure(text: str) -> bool:
    """Whether a text mentions failure."""
    return _FAILED.search(text) is not None


def is_in_language(reasoning: str, language: str) -> bool:
    """Whether a text is in the language ("en", "zh"), as far as its letters show."""
    letters = re.sub(r"[“\"'‘「《][^”\"'’」》]*[”\"'’」》]", "", reasoning)
    return not re.search(r"[^\W\d_]{2}", letters) or language_of(letters) == language
