"""WebLINX's demonstrations: what was said, what was done, and on which screen."""

import json
from pathlib import Path

from pydantic import JsonValue

from tapwright.core.actions import Answer, Goto, Scroll, Tap, TypeText, Wait
from tapwright.core.geometry import Point
from tapwright.formats.importers.weblinx import WEBLINX
from tests.formats.foreign import picture, read_and_listen


def say(speaker: str, words: str) -> JsonValue:
    return {"type": "chat", "timestamp": 0.5, "speaker": speaker, "utterance": words}


def do(intent: str, shot: str, **arguments: JsonValue) -> JsonValue:
    metadata: JsonValue = {
        "mouseX": 50, "mouseY": 50, "viewportWidth": 200, "viewportHeight": 100, "tabId": 3,
        "zoomLevel": 1.1,
    }  # fmt: skip
    return {
        "type": "browser",
        "timestamp": 2.0,
        "action": {"intent": intent, "arguments": {"metadata": metadata, **arguments}},
        "state": {"screenshot": shot, "screenshot_status": "good", "page": "page-1-0.html"},
    }


def lay_out(root: Path, *turns: JsonValue) -> Path:
    folder = root / "demonstrations/aaabtsd"
    (folder / "screenshots").mkdir(parents=True)
    for number in range(3):
        (folder / f"screenshots/s-{number}.png").write_bytes(picture(number, width=400, height=200))
    for name in ("metadata.json", "form.json"):
        (folder / name).write_text("{}")
    (folder / "replay.json").write_text(json.dumps({"data": list(turns), "version": "0.1.0"}))
    return folder


def test_a_demonstration_is_read_with_what_was_said(tmp_path: Path) -> None:
    box: JsonValue = {"left": 10, "top": 20, "right": 30, "bottom": 40, "x": 10, "y": 20}
    element: JsonValue = {"tagName": "INPUT", "textContent": " Search ", "bbox": box}
    folder = lay_out(
        tmp_path,
        say("instructor", "Open the site"),
        do("load", "s-0.png", properties={"url": "https://example.org/"}),
        do("click", "s-1.png", element=element, properties={"clientX": 55}),
        say("instructor", "Now search for tea"),
        do("textInput", "s-2.png", element=element, text="tea"),
        do("scroll", "s-2.png", scrollX=0, scrollY=50),
        do("submit", "s-2.png", element=element),
        say("navigator", "Here it is"),
    )
    assert WEBLINX.recognizes(folder)
    [episode], told = read_and_listen(WEBLINX, tmp_path)
    assert (episode.id, episode.instruction) == ("weblinx-aaabtsd", "Open the site")
    assert [step.decision.action for step in episode.steps] == [
        Goto(url="https://example.org/"),
        Tap(at=Point(0.25, 0.5)),
        TypeText(text="tea", at=Point(0.1, 0.3)),
        Scroll(at=Point(0.5, 0.5), dy=0.5),
        Wait(duration_s=0),
        Answer(text="Here it is"),
    ]
    assert [step.instructions for step in episode.steps if step.instructions] == [
        ("Now search for tea",)
    ]
    assert [one for one in told if "no action of ours stands for 'submit'" in one]
    tree = episode.steps[1].observation.ui_tree
    assert tree is not None
    assert tree.nodes[0].attributes["bounds"] == "[20,40][60,80]"
    assert [step.observation.stale for step in episode.steps] == [False] * 5 + [True]


def test_a_turn_that_is_none_ends_the_demonstration(tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path,
        do("click", "s-0.png"),
        do("click", "gone.png"),
        do("click", "s-1.png", metadata={"mouseX": 999, "viewportWidth": 1, "viewportHeight": 1}),
        7,
        do("click", "s-2.png"),
    )
    [episode], told = read_and_listen(WEBLINX, folder / "replay.json")
    assert (episode.instruction, episode.outcome, len(episode.steps)) == ("", "interrupted", 3)
    assert [step.observation.screenshot.recorded for step in episode.steps] == [True, False, True]
    assert [bool(step.refused) for step in episode.steps] == [False, False, True]
    assert len(told) >= 3
