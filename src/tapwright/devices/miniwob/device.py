"""MiniWoB++ as a device: small desktop pages that set a task, are used by mouse, and give a reward.

Follows the protocol of https://github.com/Farama-Foundation/miniwob-plusplus (1.1.0): seed the
page's random numbers, start the episode, read the utterance, then poll done and reward. The screen
is the page's task area of 160x210 pixels, as published. Unlike there the page's clock is virtual
(`clock.js`), so that thinking costs none of the page's time and a run is the same everywhere.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Self, get_args

from pydantic import JsonValue

from tapwright.core import actions
from tapwright.core.actions import Action, Key, typing_steps
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.chromium import Browser
from tapwright.devices.chromium_device import ChromiumDevice, Viewport, read_script
from tapwright.devices.device import Overrides
from tapwright.devices.miniwob import pages
from tapwright.devices.page_capture import CaptureOptions, PageCapture
from tapwright.devices.page_hand import PageHand
from tapwright.devices.tab import Tab
from tapwright.devices.uiautomator import to_xml
from tapwright.errors import DeviceError, DeviceLostError, UnknownAppError, UnsupportedActionError

__all__ = ["MiniWob"]

_ORIGIN = "http://miniwob.test"
_AREA = Size(160, 210)
_WINDOW = Size(500, 320)  # as published: some pages lay themselves out by it
_ACTION_MS = 500  # BrowserGym waits this long before it observes
_LIMIT_MS = 1_000_000  # as BrowserGym's `episode_max_time`: agents are not as quick as people
_NO_KEYS: frozenset[Key] = frozenset(
    (
        "back", "forward", "home", "recents", "menu", "power", "volume_up", "volume_down",
        "camera", "clear", "rotate",
    )
)  # fmt: skip


class MiniWob(ChromiumDevice):
    """One page at a time: the one that `reset` receives as `app`, or else the first `task`.

    `scale` is in pixels of the screen per CSS pixel: 1 is the published screen of 160x210. After
    each action the page's clock runs for half a second, or for the duration of the action.

    Several may share a `browser`, each used from one thread at a time; one that was given none
    starts and ends its own. Each call to the page ends within `timeout_s`.
    """

    def __init__(
        self,
        task: str = pages.DEFAULT_TASK,
        *,
        scale: int = 1,
        browser: Browser | None = None,
        executable: Path | None = None,
        timeout_s: float = 10.0,
    ) -> None:
        self.task = self._first_task = _check_name(task)
        self.size = Size(_AREA.width * scale, _AREA.height * scale)
        self._scale = scale
        self._whole = pages.page_path(self.task)
        super().__init__(
            Viewport(_WINDOW, float(scale), mobile=False),
            CaptureOptions("png", _AREA.width, _AREA.height),
            self.size,
            browser=browser,
            executable=executable,
            timeout_s=timeout_s,
        )

    @classmethod
    def named(cls, argument: str = "", *, executable: Path | None = None) -> Self:
        """The device that "click-test", "x3" or "click-test,x3" describes: the task and the scale.

        Raises:
            UsageError: there is no such task.
        """
        task, scale = pages.read_argument(argument)
        return cls(task, scale=scale, executable=executable)

    @property
    def name(self) -> str:
        """Its kind and size."""
        return f"miniwob {self.size}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Load the page afresh and start the episode that `seed` makes; `language` is ignored.

        A page that hangs or crashed is replaced.

        Raises:
            DeviceError: there is no such task, or `state` is given: the seed makes all of it.
            DeviceLostError: the browser that it shares with others is gone.
        """
        if state:
            raise DeviceError(f"{self.name}: the seed alone determines the page")
        self.task = _check_name(app or self._first_task)
        try:
            if not self._lost:
                self._hand.let_go()
                self._start(seed)
                return
        except DeviceLostError:
            self._lost = True
        self._replace_page()
        self._start(seed)

    def observe(self) -> Observation:
        """Screenshot and tree; as the page's clock stands still, they are of one moment."""
        tab = self.tab
        with self._marking_loss():
            spent = tab.start_evaluate("tapwright.spent()")
            capture = PageCapture(tab, self._picture)
            xml = to_xml(
                capture.snapshot(), package=self.task, size=self.size, scale=float(self._scale)
            )
            data = self._cut(capture.screenshot())
            spent_ms = tab.value(spent)
        return Observation(
            screenshot=Screenshot(data, origin=self.name),
            size=self.size,
            ui_tree=UiTree(xml, self.size, origin=self.name),
            app=self.task,
            orientation="portrait",
            time_s=float(spent_ms) / 1000 if isinstance(spent_ms, int | float) else 0.0,
        )

    def perform(self, action: Action) -> None:
        """Perform an action, and advance the page's clock by its duration.

        A finger's swipe scrolls as the wheel does. A list of options does not open, as it would be
        in no screenshot: up and down choose, and so does typing an option's text; where several
        may be chosen, that adds one.

        Raises:
            UnsupportedActionError: a key that a desktop does not have, or an app.
            DeviceLostError: the page did not respond in time, or is gone; `reset` opens a new one.
        """
        with self._marking_loss():
            spent_ms = self._perform(action)
            if spent_ms:
                self.tab.evaluate(f"tapwright.spend({spent_ms})")

    def state(self, path: str) -> JsonValue:
        """The page's state of the episode: "" for all of it, or one of its names.

        `utterance` is the instruction. `done` is whether the page ended the episode, `raw_reward`
        its reward (-1 to 1), `reward` the same decayed over the page's own `limit_s`, and
        `reason` why. A page that was left or reloaded has ended its episode without a reward.
        """
        try:
            state = self.tab.evaluate("tapwright.state()")
        except DeviceLostError:  # also when the page was just being left; the next one answers
            state = self._ask("tapwright.state()")
        if not path or not isinstance(state, dict):
            return state
        return state.get(path)

    def apps(self) -> Sequence[str]:
        """The names of the tasks, which `reset` takes."""
        return pages.names()

    def _load(self, tab: Tab) -> None:
        self._hand = PageHand(tab, _AREA, spend=self._spend)
        tab.run_in_every_page(read_script(__package__, "clock.js"))
        tab.serve(pages.files(), _ORIGIN)
        tab.draw_only(_AREA)
        self._start(0)

    def _start(self, seed: int) -> None:
        self.tab.hover(_WINDOW.width - 1, _WINDOW.height - 1)  # where no element is
        path = pages.page_path(self.task)
        # Of whole pages, half a megabyte each, a tab keeps one.
        self.tab.serve(
            {self._whole: pages.files()[self._whole], path: pages.whole_page(path)}, _ORIGIN
        )
        self._whole = path
        self.tab.goto(f"{_ORIGIN}/{path}")
        self.tab.evaluate(f"tapwright.start({seed}, {_LIMIT_MS})")

    def _perform(self, action: Action) -> int:
        """Perform an action; returns its milliseconds on the page's clock."""
        match action:
            case actions.TypeText() if (steps := typing_steps(action)) != (action,):
                return sum(map(self._perform, steps))
            case actions.TypeText(text=text):
                self._type(text)
            case actions.PressKey(key=key) if key in _NO_KEYS:
                raise self._no_key(key, self.keys())
            case actions.OpenApp(app=app):
                raise UnsupportedActionError(
                    f"{self.name} shows one page and cannot open {app!r}",
                    hint="choose the page when it is reset",
                )
            case actions.Wait(duration_s=duration_s):
                return round(duration_s * 1000)
            case actions.Goto() | actions.NewTab() | actions.CloseTab() | actions.SwitchTab():
                raise self._no_tabs(action, "choose the page when it is reset")
            case actions.Answer() | actions.AskUser() | actions.Finish():
                return 0
            case _:
                self._hand.perform(action)
        return _ACTION_MS

    def keys(self) -> Sequence[Key]:
        """The keys of a keyboard that edit and move; a page has none of a phone's."""
        return [key for key in get_args(Key) if key not in _NO_KEYS]

    def let_go(self) -> Sequence[str]:
        """Let go what is down; returns what was."""
        return self._hand.let_go()

    def _spend(self, seconds: float) -> None:
        self.tab.evaluate(f"tapwright.spend({round(seconds * 1000)})")


def _check_name(task: str) -> str:
    if task in pages.names():
        return task
    raise UnknownAppError(f"MiniWoB++ has no task {task!r}", hint=pages.hint_at_names(task))
