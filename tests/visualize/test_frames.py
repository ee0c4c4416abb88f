from dataclasses import replace
from pathlib import Path

import numpy as np

from tapwright.core.actions import Finish, Tap, TypeText
from tapwright.core.episode import Decision, Episode, Step
from tapwright.core.geometry import Point
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import FakeDevice
from tapwright.visualize.frames import draw_frames, draw_step, mark_step, step_caption


def episode() -> Episode:
    device = FakeDevice()
    device.reset()
    first = Step(
        device.observe(),
        Decision(Tap(at=Point(0.5, 0.4)), reasoning="按下按钮，因为任务要求。", target="Button 0"),
        reward=1.0,
        instructions=("Go on",),
    )
    device.perform(first.decision.action)
    last = Step(device.observe(), Decision(Finish()))
    return Episode(
        id="one",
        task_id="press",
        instruction="Press",
        steps=(first, last),
        final=device.observe(),
        outcome="success",
    )


def test_every_step_and_the_final_screen_become_a_picture_of_the_wanted_width(
    tmp_path: Path,
) -> None:
    names = [path.name for path in draw_frames(episode(), tmp_path, width_px=180)]
    assert names == ["000.jpg", "001.jpg", "final.jpg"]
    assert {Screenshot((tmp_path / name).read_bytes()).size.width for name in names} == {180}


def test_the_mark_is_drawn_where_the_action_was_and_the_recording_keeps_its_bytes() -> None:
    step = episode().steps[0]
    before = step.observation.screenshot.data
    plain = step.observation.screenshot.image().resize((180, 400))
    drawn = draw_step(step, 0, width_px=180).crop((0, 0, 180, 400))
    changed = np.abs(np.asarray(plain, int) - np.asarray(drawn, int)).max(axis=2) > 60
    rows, columns = np.nonzero(changed)
    assert columns.min() < 90 < columns.max()
    assert rows.min() < 160 < rows.max()
    assert abs(columns.mean() - 90) < 20
    assert step.observation.screenshot.data == before


def test_a_caption_has_room_for_all_that_is_known_of_a_step() -> None:
    known, bare = episode().steps
    assert draw_step(known, 0, width_px=180).height > draw_step(bare, 1, width_px=180).height


def test_what_is_typed_is_shown_on_the_screen() -> None:
    step = episode().steps[1]
    typed = replace(step, decision=Decision(TypeText(text="牛奶")))
    assert mark_step(typed, width_px=180) != mark_step(step, width_px=180)
    assert [line.text for line in step_caption(typed, 7)] == ["7  type '牛奶'"]
