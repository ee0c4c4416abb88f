import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.errors import AnswerLogError
from tapwright.annotate.question import Prompt, split_windows
from tapwright.annotate.run import annotate_store
from tapwright.annotate.vlm import ModelAnnotator
from tapwright.core.actions import (
    Action,
    Answer,
    DoubleTap,
    Drag,
    Finish,
    Hotkey,
    Hover,
    LongPress,
    OpenApp,
    PressKey,
    Scroll,
    Swipe,
    Tap,
    TypeText,
    Wait,
)
from tapwright.core.episode import Episode
from tapwright.core.geometry import Point, Size
from tapwright.core.messages import Message, Picture
from tapwright.core.screenshot import Screenshot
from tapwright.errors import ModelError, TapwrightError
from tapwright.jobs.job import ItemDone, ItemFailed, ItemResult
from tapwright.models.openai import OpenAIModel
from tapwright.models.pricing import Budget, Price
from tapwright.models.scripted import ScriptedModel
from tapwright.store.annotations import read_annotations
from tapwright.store.errors import AnnotationError
from tapwright.store.ids import directory_name
from tapwright.store.store import EpisodeStore
from tapwright.testing import FakeChatServer, Fault, HttpError
from tests.annotate.answering import explain, items_for, lines_of
from tests.annotate.screens import episode, screen
from tests.models.manners import said

EVERY: list[Action] = [
    Tap(at=Point(0.5, 0.1)),
    DoubleTap(at=Point(0.2, 0.2)),
    LongPress(at=Point(0.7, 0.6)),
    Swipe(start=Point(0.5, 0.8), end=Point(0.5, 0.2)),
    Drag(start=Point(0.1, 0.5), end=Point(0.9, 0.5)),
    Scroll(at=Point(0.5, 0.5), dy=1),
    Hover(at=Point(0.4, 0.4)),
    TypeText(text='周报 "q"\nnext line'),
    PressKey(key="back"),
    Hotkey(keys=("control", "c")),
    OpenApp(app="便签"),
    Wait(duration_s=2),
    Answer(text="42"),
    Finish(),
]
Bodies = Callable[[Mapping[str, JsonValue]], str | Fault]


def recorded(actions: Sequence[Action] = EVERY, id: str = "e1") -> Episode:
    steps = [(screen(picture=n % 3, title=f"S{n}"), one) for n, one in enumerate(actions)]
    return episode("Do it", *steps, id=id)


def as_body(messages: Sequence[Message]) -> dict[str, JsonValue]:
    parts: list[Any] = [
        {"type": "text", "text": part.text} if hasattr(part, "text") else {"type": "image"}
        for part in messages[-1].parts
    ]
    return {"messages": [{"role": "user", "content": parts}]}


def scripted(answer: Bodies) -> ScriptedModel:
    return ScriptedModel(lambda messages: str(answer(as_body(messages))))


def annotator(model: Any, root: Path, **given: Any) -> ModelAnnotator:
    return ModelAnnotator(
        model, lambda id_: AnswerBook.of(root / directory_name(id_), model.name), **given
    )


def tampered(change: Callable[[list[dict[str, Any]]], object], *, once: bool = True) -> Bodies:
    """Right answers but for the first one, or all, which `change` spoils."""
    spoiled: list[object] = []

    def answer(body: Mapping[str, JsonValue]) -> str:
        items = items_for(body)
        if not (once and spoiled):
            spoiled.append(change(items))
        return json.dumps(items, ensure_ascii=False)

    return answer


@given(st.integers(0, 300), st.integers(1, 20), st.integers(0, 19))
def test_windows_cover_every_step_in_order_and_overlap(steps: int, size: int, overlap: int) -> None:
    overlap = min(overlap, size - 1)
    found = list(split_windows(steps, size, overlap))
    assert {at for first, last in found for at in range(first, last + 1)} == set(range(steps))
    assert all(last - first < size for first, last in found)
    assert all(b == last + 1 - overlap for (_, last), (b, _) in pairwise(found))
    assert [last for _, last in found[-1:]] == ([steps - 1] if steps else [])


@pytest.mark.parametrize("language", ["en", "German"])
def test_every_action_is_asked_about_and_explained(tmp_path: Path, language: str) -> None:
    model = scripted(explain)
    by = annotator(model, tmp_path, prompt=Prompt(language), window=4)
    said = asyncio.run(by.annotate(recorded()))
    assert [one.codes for one in said] == [()] * len(EVERY)
    assert [bool(one.target) for one in said] == [True] * 3 + [False] + [True] * 3 + [False] * 7
    assert all(one.request and one.asked for one in said)


def test_done_is_demanded_of_the_last_window_only(tmp_path: Path) -> None:
    model = scripted(explain)
    asyncio.run(annotator(model, tmp_path, window=5, overlap=1).annotate(recorded()))
    asked = sorted(model.requests, key=lambda one: min(lines_of(as_body(one))))
    systems = [one[0].text for one in asked]
    assert ["no item is a done" in one for one in systems] == [True, True, True, False]
    assert "steps 5 to 9" in systems[1]
    assert "Step 5 of 14" in "".join(
        part.text for part in asked[1][1].parts if hasattr(part, "text")
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_prompt_states_the_whole_contract(language: str) -> None:
    prompt = Prompt(language)
    words = prompt.words(
        instruction="查{{ 7*7 }}报", total=5, first=2, last=5, ends=True, outcome="success",
        earlier=["Step 1 of 5: CLICK [1, 2]"], problem="It was late.",
    )  # fmt: skip
    for part in ("查{{ 7*7 }}报", "[1000, 1000]", "target_element", "press_key", "wait", '"step"',
                 "Step 1 of 5: CLICK [1, 2]", "It was late.", "8. "):  # fmt: skip
        assert part in words
    assert "{%" not in words


def test_a_rejected_step_is_asked_about_again_alone_with_the_reason(tmp_path: Path) -> None:
    model = scripted(tampered(lambda items: items[2].update(reasoning="")))
    said = asyncio.run(annotator(model, tmp_path, window=20).annotate(recorded()))
    assert [one.codes for one in said] == [()] * len(EVERY)
    assert [
        len([p for p in asked[1].parts if hasattr(p, "screenshot")]) for asked in model.requests
    ] == [14, 2]  # the step, and the screen that it led to
    assert "A reasoning is blank." in model.requests[1][0].text
    assert "You are shown step 3:" in model.requests[1][0].text
    assert [one.asked for one in said] == [1, 1, 2, *[1] * 11]


WRONG: dict[str, tuple[Callable[[list[dict[str, Any]]], object], str]] = {
    "type": (lambda items: items[0]["function"].update(name="swipe"), "TYPE_MISMATCH"),
    "text": (lambda items: items[7]["function"]["parameters"].update(text="x"), "TEXT_MISMATCH"),
    "direction": (
        lambda items: items[3]["function"]["parameters"].update(direction="DOWN"),
        "DIRECTION_MISMATCH",
    ),
    "opposite": (lambda items: items[3].update(reasoning="I swipe down."), "REASONING_CONTRADICTS"),
    "target": (
        lambda items: items[0]["function"]["parameters"].update(target_element="[500, 100]"),
        "TARGET_COORDINATES",
    ),
    "mixed": (
        lambda items: items[0]["function"]["parameters"].update(target_element="Box at (5, 9)"),
        "TARGET_COORDINATES",
    ),
    "leak": (lambda items: items[0].update(reasoning="The red ring is here."), "ANNOTATION_LEAK"),
    "copied": (
        lambda items: items[1].update(reasoning=items[0]["reasoning"]),
        "REASONING_COPIED",
    ),
    "language": (lambda items: items[0].update(reasoning="点击搜索框。"), "LANGUAGE"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_item_is_never_stored(tmp_path: Path, name: str) -> None:
    change, code = WRONG[name]
    # Alone the step is explained as badly, so that only the list is left.

    def spoil(items: list[dict[str, Any]]) -> None:
        if len(items) == len(EVERY):
            change(items)
        else:
            items[:] = []

    model = scripted(tampered(spoil, once=False))
    said = asyncio.run(annotator(model, tmp_path, window=20, reasks=0).annotate(recorded()))
    (listed,) = [one for one in said if one.codes]
    assert code in listed.codes
    assert (listed.reasoning, listed.target) == ("", "")
    # Whoever reviews the step reads what the model answered.
    answer = AnswerBook.of(tmp_path / "e1", "scripted").get(listed.request)
    assert answer is not None


def test_a_copy_from_another_window_is_not_stored(tmp_path: Path) -> None:
    model = scripted(
        tampered(lambda items: items[-1].update(reasoning="Like the one before it."), once=False)
    )
    actions: list[Action] = [EVERY[0], EVERY[8], PressKey(key="home"), Finish()]
    by = annotator(model, tmp_path, window=2, overlap=0, reasks=1)
    said = asyncio.run(by.annotate(recorded(actions)))
    assert [one.codes for one in said] == [(), (), (), ("REASONING_COPIED",)]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("I am sorry, but I cannot help with that.", "REFUSAL"),
        ("", "EMPTY"),
        ('[{"reasoning": "' + "go on and " * 200_000, "TOO_LONG"),
        ('{"error": {"message": "overloaded"}}', "API_ERROR"),
    ],
)
@pytest.mark.slow_but_one
def test_a_model_that_explains_nothing_ends_with_codes_and_few_requests(
    tmp_path: Path, raw: str, code: str
) -> None:
    model = ScriptedModel([raw])
    said = asyncio.run(annotator(model, tmp_path, window=20).annotate(recorded()))
    assert all(code in one.codes and not one.reasoning for one in said)
    assert len(model.requests) == 4  # the whole twice, and one step alone twice


@pytest.mark.parametrize(
    ("answer", "code"),
    [(said("", "content_filter"), "REFUSAL"), (said("[", "length"), "TRUNCATED")],
)
def test_why_a_server_ended_an_answer_is_its_first_reason(
    tmp_path: Path, answer: Fault, code: str
) -> None:
    async def annotated(url: str) -> set[str]:
        model = OpenAIModel("m", base_url=url)
        try:
            found = await annotator(model, tmp_path).annotate(recorded([Finish()]))
        finally:
            await model.close()
        return {one.codes[0] for one in found}

    with FakeChatServer([answer]) as server:
        assert asyncio.run(annotated(server.base_url)) == {code}


@pytest.mark.slow
def test_three_hundred_steps_keep_their_numbers(tmp_path: Path) -> None:
    actions: list[Action] = [*(Tap(at=Point(0.5, 0.5)) for _ in range(299)), Finish()]
    said = asyncio.run(annotator(scripted(explain), tmp_path).annotate(recorded(actions)))
    assert [one.reasoning.split()[1] for one in said] == [str(n) for n in range(1, 301)]


def test_an_episode_without_steps_has_nothing_to_explain(tmp_path: Path) -> None:
    model = scripted(explain)
    assert asyncio.run(annotator(model, tmp_path).annotate(recorded([]))) == []
    assert model.requests == []


def test_a_recording_that_ends_in_its_middle_is_refused(tmp_path: Path) -> None:
    model = scripted(explain)
    with pytest.raises(AnnotationError, match="step 0 ends the attempt, and 1 more"):
        asyncio.run(annotator(model, tmp_path).annotate(recorded([Finish(), Wait()])))
    assert model.requests == []


def test_a_step_of_which_no_picture_was_recorded_is_left_out(tmp_path: Path) -> None:
    whole = recorded(EVERY[:3])
    blind = replace(whole.steps[1].observation, screenshot=Screenshot.stand_in(Size(9, 9)))
    steps = (whole.steps[0], replace(whole.steps[1], observation=blind), whole.steps[2])
    model = scripted(explain)
    found = asyncio.run(annotator(model, tmp_path).annotate(replace(whole, steps=steps)))
    assert [(bool(one.reasoning), one.codes) for one in found] == [
        (True, ()),
        (False, ("NOT_ASKED",)),
        (True, ()),
    ]
    pictures = [
        part for one in model.requests for part in one[-1].parts if isinstance(part, Picture)
    ]
    assert len(pictures) == 2  # the stand-in is shown nowhere


def test_what_is_in_the_book_is_not_asked_again(tmp_path: Path) -> None:
    model = scripted(tampered(lambda items: items.pop()))
    first = asyncio.run(annotator(model, tmp_path, window=6).annotate(recorded()))
    asked = len(model.requests)
    second = asyncio.run(annotator(model, tmp_path, window=6).annotate(recorded()))
    assert (second, len(model.requests)) == (first, asked)
    book = AnswerBook.of(tmp_path / "e1", "scripted")
    assert len(book.all()) == asked
    assert {one.request for one in first} <= {one.key for one in book.all()}


def test_another_prompt_or_picture_is_another_question(tmp_path: Path) -> None:
    model = scripted(explain)
    one = Prompt().question(recorded(), 0, 3)
    keys = {
        one.key(model, 1),
        one.key(model, 2),
        Prompt("zh").question(recorded(), 0, 3).key(model, 1),
        Prompt().question(recorded(), 0, 2).key(model, 1),
        Prompt(max_pixels=5000).question(recorded(), 0, 3).key(model, 1),
        Prompt().question(recorded(EVERY[::-1]), 0, 3).key(model, 1),
    }
    assert len(keys) == 6


def test_a_torn_line_of_the_book_is_cut_off_and_a_broken_one_named(tmp_path: Path) -> None:
    asyncio.run(annotator(scripted(explain), tmp_path, window=5).annotate(recorded()))
    path = tmp_path / "e1" / "annotations" / "scripted.answers.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    asyncio.run(annotator(scripted(explain), tmp_path, window=5).annotate(recorded()))
    assert [len(line) > 50 for line in path.read_bytes().splitlines()] == [True] * 4
    path.write_bytes(b"{}\n" + whole)
    with pytest.raises(AnswerLogError, match="line 1: not an answer"):
        AnswerBook(path)


def test_no_request_goes_beyond_the_budget(tmp_path: Path) -> None:
    price = Price(input=1000.0, output=1000.0)
    one = sum(Prompt().question(recorded(), 0, 3).estimate()) * 1000 / 1e6
    budget = Budget(price, 1.5 * one)
    model = scripted(explain)
    by = annotator(model, tmp_path, window=4, budget=budget)
    with pytest.raises(TapwrightError, match="are spent"):
        asyncio.run(by.annotate(recorded()))
    paid = AnswerBook.of(tmp_path / "e1", "scripted").all()
    assert 1 <= len(paid) < 5
    assert budget.spent == pytest.approx(price.total(paid))
    assert budget.spent <= 1.5 * one


def test_a_user_s_template_takes_the_place_of_ours_and_runs_no_code(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text("{{ instruction }} | {{ first }}-{{ last }} in {{ language }}", "utf-8")
    prompt = Prompt.from_file(path, language="German", max_pixels=1000)
    assert prompt.question(recorded(), 1, 2).system == "Do it | 2-3 in German"
    for bad in ("{{ nobody }}", "{% if %}", "{{ ''.__class__.__mro__[1].__subclasses__() }}"):
        path.write_text(bad, "utf-8")
        with pytest.raises(TapwrightError, match=r"mine\.jinja: the template") as error:
            Prompt.from_file(path, language="en", max_pixels=1000)
        assert error.value.code == "TW183"


def run(store: EpisodeStore, by: ModelAnnotator, **given: Any) -> list[ItemResult]:
    async def main() -> list[ItemResult]:
        return [one async for one in annotate_store(store, by, **given)]

    return asyncio.run(main())


def hashes(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and "annotations" not in path.parts and path.parent != root
    }


def test_a_partial_episode_is_listed_left_alone_and_finished_by_asking_again(
    tmp_path: Path,
) -> None:
    store = EpisodeStore(tmp_path)
    store.write(recorded())
    before = hashes(tmp_path)
    bad = scripted(
        tampered(lambda items: items[0].update(reasoning="") if items[0]["step"] == 1 else 0,
                 once=False)
    )  # fmt: skip
    (ended,) = run(store, annotator(bad, tmp_path))
    assert ended == ItemDone("e1", {"episode": "e1", "steps": 14, "listed": 1})
    (line, *_) = read_annotations(tmp_path / "e1", "scripted")
    assert (line.codes, line.reasoning, line.asked) == (("REASONING_EMPTY",), "", 3)

    good = scripted(explain)
    (ended,) = run(store, annotator(good, tmp_path))
    assert (ended.key, good.requests) == ("e1", [])
    (ended,) = run(store, annotator(good, tmp_path, reasks=2 + line.asked), again=True)
    assert ended == ItemDone("e1", {"episode": "e1", "steps": 14, "listed": 0})
    assert len(good.requests) == 1
    assert hashes(tmp_path) == before


def test_a_server_that_stays_down_is_asked_a_few_times_for_all_episodes(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    for number in range(8):
        store.write(recorded(id=f"e{number}"))

    async def main(base_url: str) -> None:
        model = OpenAIModel("m", base_url=base_url)
        try:
            async for _ in annotate_store(store, annotator(model, tmp_path, concurrency=1)):
                pass
        finally:
            await model.close()

    with FakeChatServer([HttpError(404, "no such model")]) as server:
        with pytest.raises(ModelError, match="5 times in a row, so no more is sent"):
            asyncio.run(main(server.base_url))
        assert len(server.received) == 5


def test_a_server_that_is_down_fails_the_episode_and_says_so(tmp_path: Path) -> None:
    store = EpisodeStore(tmp_path)
    store.write(recorded())

    async def main(base_url: str) -> list[ItemResult]:
        model = OpenAIModel("m", base_url=base_url, retries=0)
        try:
            return [one async for one in annotate_store(store, annotator(model, tmp_path))]
        finally:
            await model.close()

    with FakeChatServer([HttpError(500, "down")]) as server:
        (ended,) = asyncio.run(main(server.base_url))
    assert isinstance(ended, ItemFailed)
    assert ended.code == "TW406"
    assert "down" in ended.message
    assert AnswerBook.of(tmp_path / "e1", "openai/m").all() == ()


_RUN = """
import asyncio, sys
from pathlib import Path
from tapwright.annotate.answer_book import AnswerBook
from tapwright.annotate.run import annotate_store
from tapwright.annotate.vlm import ModelAnnotator
from tapwright.models.openai import OpenAIModel
from tapwright.store.store import EpisodeStore

async def nothing(seconds): pass

async def main(root, url):
    store = EpisodeStore(root)
    model = OpenAIModel("m", base_url=url, sleep=nothing, retries=9)
    by = ModelAnnotator(model, lambda id_: AnswerBook.of(root / id_, model.name), concurrency=4)
    async for _ in annotate_store(store, by, concurrency=4):
        pass
    await model.close()

asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


@pytest.mark.slow
def test_two_kills_repeat_no_answer_that_was_written_down(tmp_path: Path) -> None:
    store, episodes = EpisodeStore(tmp_path), 10
    for number in range(episodes):
        store.write(recorded(EVERY[2:], id=f"e{number}"))
    before = hashes(tmp_path)
    seen: Counter[str] = Counter()
    lock, reached = threading.Lock(), threading.Event()
    stop_at = [8, 16]

    def answer(body: Mapping[str, JsonValue]) -> str | Fault:
        with lock:
            number = len(server.received)
            if stop_at and number >= stop_at[0]:
                reached.set()
            if number % 20 == 7:
                return HttpError(503, "busy")
            key = json.dumps(body, sort_keys=True)
            seen[key] += 1
            if number % 10 == 3:
                return "I would rather not."
            return explain(body)

    with FakeChatServer(answer) as server:
        command = [sys.executable, "-c", _RUN, str(tmp_path), server.base_url]
        while stop_at:
            with subprocess.Popen(command, env=os.environ) as process:
                assert reached.wait(60)
                process.send_signal(signal.SIGKILL)
            del stop_at[0]
            reached.clear()
        subprocess.run(command, env=os.environ, check=True)
    for number in range(episodes):
        said = read_annotations(tmp_path / f"e{number}", "openai/m")
        assert len(said) == 12
        assert all(bool(one.reasoning) != bool(one.codes) for one in said)
    books = [AnswerBook.of(tmp_path / f"e{n}", "openai/m").all() for n in range(episodes)]
    written = sum(len(book) for book in books)
    # A kill may lose what is on its way: at most what runs at a time.
    assert seen.total() - written <= 2 * 4
    assert hashes(tmp_path) == before


MOBIAGENT_PROMPT = """Explain the {screenshot_count} screenshots. The task: {goal}
Rule 2: the list has {screenshot_count} items, each like this:
{{
    "reasoning": "…",
    "function": {{"name": "…", "parameters": {{}}}}
}}
"""


def test_a_prompt_file_of_mobiagent_s_is_taken_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "annotation_en_general.md"
    file.write_text(MOBIAGENT_PROMPT, encoding="utf-8")
    prompt = Prompt.from_file(file, language="en", max_pixels=1000)
    words = prompt.words(
        instruction="Say {{ this }} in {screenshot_count}", total=9, first=4, last=6, ends=True,
        outcome="success", problem="two items were missing",
    )  # fmt: skip
    assert words == (
        "Explain the 3 screenshots. The task: Say {{ this }} in {screenshot_count}\n"
        "Rule 2: the list has 3 items, each like this:\n"
        '{\n    "reasoning": "…",\n    "function": {"name": "…", "parameters": {}}\n}\n'
        "\n\ntwo items were missing"
    )
