"""The files of a store have names that every system takes, and one each where case is nothing."""

from hypothesis import assume, example, given

from tapwright.store.errors import BadIdError
from tapwright.store.ids import directory_name
from tests.files.test_names import TEXTS, is_valid_on_windows

ENDINGS = ("", ".jsonl", ".reviews.jsonl", ".comments.jsonl", ".answers.jsonl", ".webm")


def name_of(id_: str) -> str:
    try:
        return directory_name(id_)
    except BadIdError:
        assume(False)
        raise


@given(TEXTS)
@example("Con")
@example("aux.reviews")
def test_every_id_and_annotator_has_a_name_that_windows_takes(id_: str) -> None:
    for ending in ENDINGS:
        assert is_valid_on_windows(name_of(id_) + ending)


@given(TEXTS, TEXTS)
@example("Demo", "demo")
@example("straße", "STRASSE")
@example("a.", "a")
@example("ſ", "s")
def test_two_ids_have_two_names_where_case_is_nothing(one: str, other: str) -> None:
    assume(one != other)
    names = {name_of(id_) for id_ in (one, other)}
    assert len({name.casefold() for name in names}) == 2


@given(TEXTS)
def test_ids_that_differ_in_case_have_two_names_where_case_is_nothing(id_: str) -> None:
    same = {id_, id_.upper(), id_.lower(), id_.swapcase(), id_.title()}
    assert len({name_of(one).casefold() for one in same}) == len(same)
