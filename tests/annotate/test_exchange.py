import asyncio
import json
from pathlib import Path

import pytest

from tapwright.annotate.annotator import Reasoning
from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.paraphrase import ask_paraphrases
from tapwright.annotate.react_json import encode_react, read_react, render_react
from tapwright.annotate.run import write_annotations
from tapwright.core.episode import Episode
from tapwright.errors import TapwrightError, UsageError
from tapwright.models.pricing import Price, read_price
from tapwright.models.scripted import ScriptedModel
from tapwright.store.annotations import apply_annotations, read_annotations
from tests.annotate.test_vlm import EVERY, recorded


def reasoned(root: Path) -> Episode:
    whole = recorded()
    said = [
        Reasoning(n, f"This is reason {n}.", "the box" if n in (0, 1, 2, 4, 5, 6) else "")
        for n in range(len(EVERY))
    ]
    write_annotations(root, whole, said, "anna", "1", "then")
    return apply_annotations(whole, read_annotations(root, "anna"))


def test_what_is_written_and_read_again_is_the_same(tmp_path: Path) -> None:
    told = reasoned(tmp_path)
    path = tmp_path / "react.json"
    path.write_bytes(encode_react(render_react(told)))
    found = read_react(recorded(), path)
    assert [(one.step, one.reasoning, one.target, one.codes) for one in found] == [
        (number, step.decision.reasoning, step.decision.target, ())
        for number, step in enumerate(told.steps)
    ]


def test_a_step_that_does_not_fit_is_listed_and_the_rest_taken(tmp_path: Path) -> None:
    items = render_react(reasoned(tmp_path))
    items[3]["function"]["parameters"]["direction"] = "LEFT"  # type: ignore[index,call-overload]
    path = tmp_path / "react.json"
    path.write_bytes(encode_react(items))
    found = read_react(recorded(), path)
    assert [one.codes for one in found if one.codes] == [("DIRECTION_MISMATCH",)]
    assert found[3].reasoning == ""


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", '[{"reasoning": 3}]'])
def test_a_file_that_fits_nothing_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "react.json"
    path.write_text(text)
    with pytest.raises(TapwrightError, match=r"react\.json: does not fit e1"):
        read_react(recorded(), path)


def test_prices_are_per_million_and_name_their_model(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text('{"openai/a": {"input": 2, "output": 10, "image": 0.5}}')
    price = read_price(path, "openai/a")
    assert price == Price(input=2, output=10, image=0.5)
    assert price.cost(500_000, 100_000, 3) == pytest.approx(3.5)
    with pytest.raises(UsageError, match="has no price for openai/b"):
        read_price(path, "openai/b")
    path.write_text('{"openai/a": {"input": -1, "output": 0}}')
    with pytest.raises(UsageError, match="not a table of prices"):
        read_price(path, "openai/a")


def test_other_wordings_are_checked_asked_for_again_and_paid_for_once(tmp_path: Path) -> None:
    good = ["Please do it", "Could you do it?"]
    model = ScriptedModel(["Sorry.", json.dumps(["Do it", "Do it!"]), json.dumps(good)])
    for _ in range(2):
        book = AnswerBook(tmp_path / "words.answers.jsonl")
        assert asyncio.run(ask_paraphrases(model, recorded(), 2, book)) == good
        assert len(model.requests) == 3
    assert book.all()[0].raw == "Sorry."


def test_a_task_without_good_wordings_is_asked_about_anew_in_another_run(tmp_path: Path) -> None:
    model = ScriptedModel(["no"])
    for asked in (3, 6):
        book = AnswerBook(tmp_path / "words.answers.jsonl")
        assert asyncio.run(ask_paraphrases(model, recorded(), 2, book)) is None
        assert len(model.requests) == len(book.all()) == asked
