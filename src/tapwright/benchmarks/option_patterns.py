"""The words around a letter that make it a commitment, a rejection, or no option at all.

English and Chinese in full; of other languages the word for "answer". Each repetition has a small
upper bound, and a pattern is tried only near a letter.
"""

import re

__all__ = [
    "COMMITS_AFTER", "COMMITS_BEFORE", "JOINS", "LOWER_CASE", "NOT_OPTIONS", "PATH_AFTER",
    "REJECTS_AFTER", "REJECTS_BEFORE", "UNDECIDED", "VERB_AFTER",
]  # fmt: skip


def _any(words: str) -> str:
    """Any of some words, listed with "/" between; a blank in a word is any blanks."""
    return "(?:" + "|".join(word.replace(" ", r"\s{1,4}") for word in words.split("/")) + ")"


_OPEN = r"[\"'(\[]{0,2}"
_CLOSE = r"[\"')\].]{0,3}"
_HEAD = r"(?:%s\s{1,4}){0,4}" % _any(  # noqa: UP031 - braces are the pattern's
    "the/my/final/correct/right/best/most likely/option/choice/answer/selection"
)
_IS = r"(?:is|was|are|would\s+be|should\s+be|must\s+be|=|:|->|→|-)"
_ANSWERS = _any("answer/choice/selection/verdict/conclusion") + r"s?[\"']?"
_CHOOSES = _any(
    "pick/picking/meant/choose/choosing/chose/select/selecting/go with/going with/went with/"
    "opt for/settle on/say/vote for/think/guess"
)
_LEAVES = _any(
    "leaving/leaves/left with/leaves us with/points? to/corresponds? to/matches/indicates"
)
_MUST = _any("must/has to/should/would/can only/have to")
_SO = _any("therefore/thus/hence/so/then/actually/no/wait/hmm/finally/conclusion/rather/correction")
_FOREIGN = _any(
    "respuesta/r[ée]ponse/resposta/antwort/risposta/ответ/odpowiedź/svar/cevap/đáp án/jawaban"
)
_ZH_ANSWER = _any("答案/正解/答え/正确选项/正确的选项/正确答案/选项/정답")
_ZH_CHOOSE = _any("应选/应该选/故选/选择/我选/就选/可选/选/選/應選/所以是/因此是/应为/应是/答")

COMMITS_BEFORE = re.compile(
    rf"(?:\b{_ANSWERS}(?:\s+(?:here|then|to\s+this))?\s*{_IS}*\s*{_HEAD}"
    rf"|\b{_CHOOSES}\s*:?\s*{_HEAD}"
    rf"|\b{_LEAVES}\s+(?:only\s+)?{_HEAD}"
    rf"|\b{_MUST}\s+be\s*:?\s*{_HEAD}"
    rf"|\b(?:is|it's|that's|=)\s*:?\s*{_HEAD}"
    rf"|\b{_SO}\s*[,:]?\s*{_HEAD}"
    rf"|{_FOREIGN}\b[^.\n]{{0,24}}"
    rf"|{_ZH_ANSWER}[^a-zA-Z0-9。.\n]{{0,8}}"
    rf"|{_ZH_CHOOSE}[^a-zA-Z0-9。.\n]{{0,6}})[\s\"'(\[<:]{{0,4}}$",
    re.IGNORECASE,
)

_DOUBTS = _any(
    "changed from/not/isn't/neither/nor/never/exclude/excludes/excluding/eliminate/eliminates/"
    "eliminating/discard/reject/rule out/ruled out/ruling out/except/unlike/instead of/rather than/"
    "rather of/none of/without/thought/considered/considering/tempted by/could be/might be/may be/"
    "maybe/perhaps/whether"
)
_ZH_NOT = _any("排除/不是/不选/不应选/不应该选/不要选/不能选/并非/除了/而不是/而非")
REJECTS_BEFORE = re.compile(
    rf"(?:\b{_DOUBTS}\s+(?:it\s+was\s+|it's\s+|is\s+|the\s+)?(?:options?\s+|choices?\s+)?"
    rf"|{_ZH_NOT}[^a-zA-Z0-9。\n]{{0,4}}){_OPEN}$",
    re.IGNORECASE,
)

_VERB = _any("is/are/was/seems/looks/does/do/did/can/could/would/has")
_WRONG = _any(
    "not/n't/wrong/incorrect/out/false/impossible/unlikely/off/irrelevant/invalid/ruled out/"
    "eliminated"
)
_NEGATED = _any("isn't/doesn't/can't/cannot/wouldn't/won't/aren't/didn't")
_LEFT_OUT = _any("excluded/eliminated/ruled out/dismissed/discarded")
_ZH_WRONG = _any("不对/不正确/错误/错/不符/不是/排除/不可能/有误")
REJECTS_AFTER = re.compile(
    rf"{_CLOSE}\s{{0,4}}(?:{_VERB}\s{{1,4}}(?:also\s|all\s|both\s|clearly\s|likely\s)?(?:{_WRONG}|about\b)"
    rf"|can\s{{1,4}}(?:all\s)?be\s{{1,4}}{_LEFT_OUT}|{_NEGATED}\b|[:=-]\s{{0,2}}(?:no\b|wrong|incorrect|false|✗|×|❌|x\b)|\?|[✗✘×❌]"
    rf"|(?:项)?[^a-zA-Z0-9,。\n而]{{0,3}}{_ZH_WRONG})",
    re.IGNORECASE,
)

_SEEMS = _any("is/was/seems/looks/appears/would be/must be/fits/matches")
_SURELY = _any("to be/clearly/definitely/indeed/most likely/therefore/obviously/likely")
_RIGHT = _any("correct/right/best/better/answer/true/accurate/choice/one\\b/best match")
COMMITS_AFTER = re.compile(
    rf"{_CLOSE}\s{{0,4}}(?:{_SEEMS}\s{{1,4}}(?:{_SURELY}\s)?(?:the\s+|my\s+)?(?:only\s+|most\s+)?{_RIGHT}"
    r"|[✓✔✅]|it\s+is\b|remains\b|is\s+left\b|[:=-]\s{0,2}(?:yes\b|correct|right|true|✓|✔|✅)"
    r"|(?:项|选项)?\s{0,2}(?:是|为)?(?:最)?(?:正确|对的|正确的|合适|符合))",
    re.IGNORECASE,
)

JOINS = re.compile(
    r"[\"')\].:]{0,3}\s{0,3}(?:,|;|/|&|\||and|or|nor|、|和|或者?|以及|与|及|,\s?and|,\s?or|,\s?nor)"
    rf"\s{{0,3}}(?:not\s)?(?:options?\s|choices?\s)?{_OPEN}",
    re.IGNORECASE,
)
"""What stands between the letters of a list."""

LOWER_CASE = re.compile(
    rf"(?:answer|option|choice|choose|pick|it's|it\sis)(?!s\b)\s{{0,4}}(?:is|:|=)?\s{{0,4}}{_OPEN}([a-z])"
    r"(?=[\"')\]]{0,2}\s{0,4}(?:[.,;!]|$)|\sis\s(?:the\s)?(?:correct|right|best))",
    re.IGNORECASE | re.MULTILINE,
)
"""A letter in lower case counts only right behind "answer" and at the end of its sentence."""

NOT_OPTIONS = re.compile(
    r"\b%s\s{1,2}[\"']?$"  # noqa: UP031 - braces are the pattern's
    % _any(
        "vitamin/drive/grade/plan/hepatitis/type/class/section/exhibit/appendix/note/disk/team/group/"
        "gate/terminal/platform/row/column/line/part/version/figure/table/key/ctrl/alt/shift/level"
    ),
    re.IGNORECASE,
)
PATH_AFTER = re.compile(r":[\\/]|:\s(?:drive|are|is)\b|\+\+|#")
VERB_AFTER = re.compile(
    r"\s{1,4}%s\b"  # noqa: UP031 - braces are the pattern's
    % _any(
        "is/was/looks/seems/because/since/as/would/fits/matches/it/and/or/does/doesn't/isn't/cannot/"
        "can't/could/should/but/appears/shows/says/describes/refers/means/mentions/talks/only/too/also"
    )
)
"""What follows an "A" that is an option and not the article."""

UNDECIDED = re.compile(
    r"\b(?:none\s+of|neither)\b|\b"
    + _any("cannot/can't/could not/couldn't/unable to/impossible to/not possible to")
    + r"\s+(?:be\s+)?(?:determine|answer|tell|decide|say|identify)|无法(?:确定|判断|回答)|不能确定",
    re.IGNORECASE,
)
