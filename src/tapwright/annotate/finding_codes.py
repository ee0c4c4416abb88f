"""The codes of rejections, repairs, warnings and reviews of a model's reasoning, with meanings.

The codes of reviews name what a reviewer finds wrong.
"""

from collections.abc import Mapping

from tapwright.store.annotations import NOT_ASKED

__all__ = ["LEFT_OUT", "REJECTIONS", "REPAIRS", "REVIEWS", "TABLES", "WARNINGS", "describe_code"]

REJECTIONS: Mapping[str, str] = {
    "EMPTY": "The answer is empty.",
    "NO_JSON": "The answer holds no list of steps: a refusal, prose, or something else.",
    "API_ERROR": "The answer is a server's error message.",
    "TOO_LONG": "The answer is far longer than its steps need; the model looped.",
    "UNPARSEABLE": "The answer is broken in a way that cannot be mended without guessing.",
    "TRUNCATED": "The answer was cut off. Give the model room for more tokens, or fewer steps.",
    "AMBIGUOUS": "The answer holds several lists of steps that differ.",
    "SCHEMA_ECHO": "The answer repeats the functions that it was offered instead of the steps.",
    "COUNT_LOW": "There are fewer items than recorded steps.",
    "COUNT_HIGH": "There are more items than recorded steps.",
    "STEP_NUMBERS": "The items' step numbers are not those of the recorded steps.",
    "ITEM_NOT_OBJECT": "An item is not an object.",
    "DONE_MISSING": "The last item has to be a done.",
    "DONE_DUPLICATE": "There is more than one done.",
    "DONE_NOT_LAST": "A done stands before the last item.",
    "FUNCTION_MISSING": "An item calls no function.",
    "UNKNOWN_FUNCTION": "An item calls a function that is not in the action space.",
    "TYPE_MISMATCH": "An item calls another function than the one that was recorded.",
    "PARAM_MISSING": "A required parameter is missing or blank.",
    "PARAM_TYPE": "A parameter is not text.",
    "TEXT_MISMATCH": "The text is not the one that was recorded.",
    "DIRECTION_INVALID": "The direction is not UP, DOWN, LEFT or RIGHT.",
    "DIRECTION_MISMATCH": "The direction is not the one in which the finger went.",
    "PARAM_MISMATCH": "A parameter is not what was recorded.",
    "TARGET_COORDINATES": "The target is given by coordinates, not by what it looks like.",
    "REASONING_MISSING": "An item has no reasoning.",
    "REASONING_EMPTY": "A reasoning is blank.",
    "REASONING_TYPE": "A reasoning is not text.",
    "REASONING_PLACEHOLDER": "A reasoning stands for another one ('same as above') or for nothing.",
    "REASONING_COPIED": "Two steps have the same reasoning.",
    "REASONING_CONTRADICTS": "A reasoning states the opposite of what was recorded.",
    "LANGUAGE": "The reasoning is in another language than the one that was asked for.",
    "REFUSAL": "The model declined.",
}
REPAIRS: Mapping[str, str] = {
    "FENCE": "Taken out of a code fence.",
    "PROSE": "Words around the list were left out.",
    "THINK": "Thoughts before the answer were left out.",
    "SPECIAL_TOKENS": "Leaked special tokens were left out.",
    "HTML_ESCAPES": "HTML escapes were read as the characters that they mean.",
    "INVISIBLE": "Invisible characters between the values were left out.",
    "DECODE_STRING": "JSON inside of a string was read.",
    "UNWRAP": "The list was taken out of the object or list around it.",
    "CONCAT_OBJECTS": "Objects that stood one after the other were put into one list.",
    "CORRECTED": "The list that the model put in place of an earlier one was taken.",
    "CLOSERS": "Missing closing brackets were added.",
    "TRAILING_COMMA": "A comma before a closing bracket was left out.",
    "COMMENTS": "Comments were left out.",
    "CONTROL_CHARS": "Raw line breaks and other control characters in a string were kept.",
    "BAD_ESCAPE": "A backslash that escapes nothing was kept as a backslash.",
    "FULLWIDTH_PUNCT": "Full-width punctuation between values was read as JSON's.",
    "CURLY_QUOTES": "Curly quotes around a string were read as JSON's.",
    "PY_LITERAL": "Python's way of writing values was read.",
    "SYNTAX": "Broken JSON was repaired by the library json_repair.",
    "KEY_ALIAS": "A key of another spelling was read.",
    "UNFLATTEN": "A call that was spread over the item was put together.",
    "NAME_NORMALISE": "A function's name of another spelling was read.",
    "DIRECTION_NORMALISE": "A direction of another spelling was read.",
    "PARAMS_DEFAULT": "Missing parameters of a function that has none were added.",
    "DROP_EXTRA": "Keys that the contract does not have were left out.",
    "TEXT_FROM_GROUND_TRUTH": "The text was written as it was recorded.",
    "JOIN": "A reasoning in several pieces was joined.",
    "TRIM": "Blanks around a value were left out.",
    "REORDER_BY_INDEX": "Items were put into the order of their step numbers.",
}
WARNINGS: Mapping[str, str] = {
    "ANNOTATION_LEAK": "The reasoning speaks of the red marks, which the user never saw.",
    "REASONING_COORDINATES": "The reasoning speaks of coordinates.",
    "NO_DIRECTION_PHRASE": "The reasoning of a swipe does not say which way.",
    "DIRECTION_PHRASE_AMBIGUOUS": "The reasoning may mean the content's way or the finger's.",
    "LANGUAGE_MIXED": "The steps are not all in one language.",
    "DONE_SAYS_FAILED": "The reasoning of a done speaks of failure.",
    "TARGET_UNLIKE_TREE": "The target is unlike what the view hierarchy has at the touched place.",
}
REVIEWS: Mapping[str, str] = {
    "WRONG_TARGET": "The target names another element than the one that was touched.",
    "NOT_ON_SCREEN": "The reasoning speaks of what the screen does not show.",
    "DOES_NOT_FOLLOW": "The reasoning does not lead to the action that was recorded.",
    "HINDSIGHT": "The reasoning knows what only later screens show, or that there is a recording.",
    "BAD_WORDING": "The words are wrong: language, style, grammar or length.",
}

LEFT_OUT: Mapping[str, str] = {
    NOT_ASKED: "The step is no target, as it is stale, refused or without a picture; the model was "
    "not asked about it.",
}

TABLES: Mapping[str, Mapping[str, str]] = {
    "left out": LEFT_OUT,
    "rejection": REJECTIONS,
    "repair": REPAIRS,
    "warning": WARNINGS,
    "review": REVIEWS,
}
"""All codes, by what they are."""


def describe_code(code: str) -> str | None:
    """Returns the meaning of a code; None if it is unknown."""
    return next((table[code] for table in TABLES.values() if code in table), None)
