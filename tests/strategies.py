"""Hypothesis strategies for tapwright's words, shared by the property tests."""

from datetime import UTC, datetime
from typing import get_args

from hypothesis import strategies as st

from tapwright.core import actions
from tapwright.core.actions import Action, Button, Outcome, RawEvent
from tapwright.core.episode import Decision, Episode, EpisodeOutcome, Step
from tapwright.core.geometry import Point, Size
from tapwright.core.keys import KEY_NAMES
from tapwright.core.observation import BrowserTab, Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.fake import painted_scene

FRACTIONS = st.floats(0, 1)
POINTS = st.builds(Point, FRACTIONS, FRACTIONS)
SECONDS = st.floats(0, 3600)
WORDS = st.text(st.characters(exclude_categories=[]), max_size=40)
"""Any text that a Python string holds, with the halves of emoji that models do write."""

ADDRESSES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
"""An action's addresses are limited in length, which pydantic counts only of text with UTF-8."""

# Most lines run along an axis, which two draws that know nothing of each other hardly ever do.
LINES: st.SearchStrategy[tuple[Point, Point]] = st.one_of(
    st.tuples(POINTS, POINTS),
    st.builds(lambda x, y, end: (Point(x, y), Point(end, y)), FRACTIONS, FRACTIONS, FRACTIONS),
    st.builds(lambda x, y, end: (Point(x, y), Point(x, end)), FRACTIONS, FRACTIONS, FRACTIONS),
)
_AMOUNTS = st.floats(-100, 100)
SCROLLS: st.SearchStrategy[actions.Scroll] = st.one_of(
    st.builds(actions.Scroll, at=POINTS, dx=_AMOUNTS, dy=_AMOUNTS),
    st.builds(actions.Scroll, at=POINTS, dx=_AMOUNTS, dy=st.just(0.0)),
    st.builds(actions.Scroll, at=POINTS, dx=st.just(0.0), dy=_AMOUNTS),
)

KEYS = st.sampled_from(KEY_NAMES) | st.characters(categories=["L", "N", "P"])
PLAIN_ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(actions.Tap, at=POINTS, button=st.sampled_from(["left", "right", "middle"])),
    st.builds(actions.DoubleTap, at=POINTS),
    st.builds(actions.TripleTap, at=POINTS),
    st.builds(actions.LongPress, at=POINTS, duration_s=SECONDS),
    st.builds(
        lambda line, s: actions.Swipe(start=line[0], end=line[1], duration_s=s), LINES, SECONDS
    ),
    st.builds(actions.TypeText, text=WORDS),
    st.builds(actions.TypeText, text=WORDS, at=POINTS, clear=st.booleans()),
    st.builds(
        actions.PressKey, key=st.sampled_from(["back", "forward", "home", "enter", "recents"])
    ),
    st.builds(actions.OpenApp, app=WORDS),
    st.builds(actions.Wait, duration_s=SECONDS),
    st.builds(actions.Answer, text=WORDS),
    st.builds(actions.Finish, outcome=st.sampled_from(get_args(Outcome)), reason=WORDS),
    st.builds(actions.Hover, at=POINTS),
    st.builds(
        lambda line, s: actions.Drag(start=line[0], end=line[1], duration_s=s), LINES, SECONDS
    ),
    SCROLLS,
    st.builds(actions.Goto, url=ADDRESSES),
    st.builds(actions.NewTab, url=st.just("") | ADDRESSES),
    st.builds(actions.CloseTab),
    st.builds(actions.SwitchTab, tab=st.integers(0, 20)),
    st.builds(actions.Hotkey, keys=st.lists(KEYS, min_size=1, max_size=3).map(tuple)),
)
"""What needs nothing held and no path, but for keys that are pressed together."""
_HELD = st.lists(KEYS, max_size=3).map(tuple)
_BUTTONS = st.sampled_from(get_args(Button))
HAND_ACTIONS: st.SearchStrategy[Action] = st.one_of(
    st.builds(actions.Tap, at=POINTS, button=_BUTTONS, held=_HELD),
    st.builds(actions.DoubleTap, at=POINTS, button=_BUTTONS, held=_HELD),
    st.builds(actions.TripleTap, at=POINTS, button=_BUTTONS, held=_HELD),
    st.builds(actions.LongPress, at=POINTS, duration_s=SECONDS, button=_BUTTONS, held=_HELD),
    st.builds(actions.Hover, at=POINTS, held=_HELD),
    st.builds(
        lambda line, path, button, held: actions.Drag(
            start=line[0], end=line[1], path=tuple(path), button=button, held=held
        ),
        LINES, st.lists(POINTS, max_size=4), _BUTTONS, _HELD,
    ),
    st.builds(actions.Scroll, at=POINTS, dx=_AMOUNTS, dy=_AMOUNTS, held=_HELD),
    st.builds(actions.Hotkey, keys=st.lists(KEYS, min_size=1, max_size=3).map(tuple),
     duration_s=SECONDS),
    st.builds(actions.ButtonDown, at=st.none() | POINTS, button=_BUTTONS),
    st.builds(actions.ButtonUp, at=st.none() | POINTS, button=_BUTTONS),
    st.builds(actions.KeyDown, key=KEYS),
    st.builds(actions.KeyUp, key=KEYS),
    st.builds(actions.AskUser, text=WORDS),
)  # fmt: skip
ACTIONS: st.SearchStrategy[Action] = PLAIN_ACTIONS | HAND_ACTIONS
RAW_EVENTS: st.SearchStrategy[RawEvent] = st.one_of(
    st.builds(actions.Touch, at=POINTS, reward=st.floats(-10, 10)),
    st.builds(
        actions.Lift, at=st.none() | POINTS, instructions=st.lists(WORDS, max_size=2).map(tuple)
    ),
    st.builds(actions.Repeat),
    st.builds(actions.Token, text=st.none() | WORDS, index=st.none() | st.integers(0, 99)),
)

_SIZE = Size(40, 80)
_SCENES = [painted_scene(number, _SIZE) for number in range(3)]

OBSERVATIONS: st.SearchStrategy[Observation] = st.builds(
    lambda scene, app, orientation, time_s, stale, with_tree, tabs, message: Observation(
        screenshot=Screenshot(scene.picture),
        size=_SIZE,
        ui_tree=UiTree(scene.xml, _SIZE) if with_tree else None,
        app=app,
        orientation=orientation,
        time_s=time_s,
        stale=stale,
        url=tabs[-1].url if tabs else "",
        tabs=tuple(tabs),
        message=message,
    ),
    st.sampled_from(_SCENES),
    WORDS,
    st.sampled_from(["portrait", "landscape", "portrait_reversed", "landscape_reversed"]),
    st.floats(0, 1e6),
    st.booleans(),
    st.booleans(),
    st.lists(st.builds(BrowserTab, WORDS, WORDS, st.booleans()), max_size=2),
    WORDS,
)
STATES = st.dictionaries(
    WORDS,
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | WORDS
    | WORDS.map(lambda word: [{"subject": word, "read": False}] * 20),
    max_size=2,
)
"""Values that stand in a line, and such as are stored in a file of their own."""
DECISIONS: st.SearchStrategy[Decision] = st.builds(
    Decision,
    st.lists(ACTIONS, min_size=1, max_size=3),
    reasoning=WORDS,
    target=WORDS,
)
STEPS: st.SearchStrategy[Step] = st.builds(
    Step,
    observation=OBSERVATIONS,
    decision=DECISIONS,
    reward=st.floats(-10, 10),
    instructions=st.lists(WORDS, max_size=2).map(tuple),
    log=st.lists(WORDS, max_size=2).map(tuple),
    state=STATES,
    refused=WORDS,
    raw=st.lists(RAW_EVENTS, max_size=3).map(tuple),
    between=st.lists(OBSERVATIONS, max_size=2).map(tuple),
    after=st.none() | OBSERVATIONS,
    note=WORDS,
)
EPISODES: st.SearchStrategy[Episode] = st.builds(
    Episode,
    id=st.text("abcdefghij0123456789-", min_size=1, max_size=12).map(lambda text: "e" + text),
    task_id=WORDS,
    instruction=WORDS,
    steps=st.lists(STEPS, max_size=4).map(tuple),
    final=st.none() | OBSERVATIONS,
    outcome=st.sampled_from(get_args(EpisodeOutcome)),
    agent=WORDS,
    device=WORDS,
    created=st.just("") | st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat),
    version=st.integers(1, 99),
    extra=st.dictionaries(WORDS, WORDS, max_size=2),
    log=st.lists(WORDS, max_size=2).map(tuple),
    state=STATES,
)
