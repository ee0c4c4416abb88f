from string import Formatter

import pytest

from tapwright.annotate.sentences import KINDS, PLACES, SENTENCES, WAYS
from tapwright.core.language import Language


def slots(sentence: str) -> set[str]:
    return {name.lower() for _, name, _, _ in Formatter().parse(sentence) if name}


def test_both_languages_say_the_same_things() -> None:
    assert SENTENCES["en"].keys() == SENTENCES["zh"].keys()
    for key, sentences in SENTENCES["en"].items():
        assert {frozenset(slots(sentence)) for sentence in sentences} == {
            frozenset(slots(sentence)) for sentence in SENTENCES["zh"][key]
        }
    assert KINDS["en"].keys() == KINDS["zh"].keys()
    assert WAYS["en"].keys() == WAYS["zh"].keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_sentence_speaks_of_recordings_or_coordinates(language: Language) -> None:
    words = str(SENTENCES[language]) + str(PLACES[language])
    for banned in (
        "record",
        "trajectory",
        "annotat",
        "coordinate",
        "pixel",
        "%",
        "录",
        "坐标",
        "轨迹",
    ):
        assert banned not in words.lower()
