"""A scripted device in memory: every test and tutorial runs on it, without a browser or a phone."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from threading import Condition, Thread
from time import monotonic, sleep
from typing import overload

from PIL import Image, ImageDraw
from pydantic import JsonValue

from tapwright import errors
from tapwright.core import actions
from tapwright.core.actions import Action
from tapwright.core.geometry import Size
from tapwright.core.observation import Observation, UiTree
from tapwright.core.screenshot import Screenshot
from tapwright.devices.device import LiveFrame, Overrides
from tapwright.devices.keys import key_stroke
from tapwright.files.closing import Closing

__all__ = ["DEFAULT_SIZE", "EndlessScenes", "FakeDevice", "Scene", "painted_scene"]

DEFAULT_SIZE = Size(270, 600)
_PASSED_ON_S = 1.0  # longer than any picture takes


@dataclass(frozen=True, slots=True)
class Scene:
    """One scripted screen: its picture's bytes, its view hierarchy, its app, its log lines."""

    picture: bytes
    xml: str = ""
    app: str = "com.example.fake"
    log: tuple[str, ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict)


class EndlessScenes(Sequence[Scene]):
    """An endless sequence of painted scenes, each with a button that carries its number."""

    def __init__(self, size: Size = DEFAULT_SIZE) -> None:
        self._size = size

    def __len__(self) -> int:
        return 1_000_000

    @overload
    def __getitem__(self, number: int) -> Scene: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Scene]: ...

    def __getitem__(self, number: int | slice) -> Scene | Sequence[Scene]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        return _painted(number, self._size)


class FakeDevice(Closing):
    """Shows its scenes in order: every action leads to the next one, and the last one stays.

    Actions are kept in `performed`, but for those that go to the user. After `lost_after` actions
    it behaves as if unplugged. An action takes `latency_s`; with `changes_s` the screen goes on by
    one more scene so long after each action, by itself.
    """

    def __init__(
        self,
        scenes: Sequence[Scene] = (),
        *,
        size: Size = DEFAULT_SIZE,
        lost_after: int | None = None,
        latency_s: float = 0.0,
        changes_s: float | None = None,
    ) -> None:
        self.scenes = scenes or tuple(painted_scene(number, size) for number in range(4))
        self.size = size
        self.lost_after = lost_after
        self.latency_s = latency_s
        self.changes_s = changes_s
        self.performed: list[Action] = []
        self._down: dict[str, None] = {}
        self._time_s = 0.0
        self._by_itself = 0
        self._due: list[float] = []
        self._changed_s = 0.0
        self._changed = Condition()
        self._passed_on: dict[float, int] = {}

    @classmethod
    def named(cls, argument: str = "") -> "FakeDevice":
        """The device of the default script, or the one that "live,latency=20,lost=7" describes.

        "live" has scenes without an end; "latency" and "changes" are in milliseconds, "lost" is a
        number of actions.

        Raises:
            UsageError: the argument is not of this form.
        """
        scenes: Sequence[Scene] = ()
        knobs: dict[str, int] = {}
        for word in filter(None, argument.split(",")):
            match = re.fullmatch(r"(latency|changes|lost)=(\d{1,6})", word, re.ASCII)
            if match:
                knobs[match[1]] = int(match[2])
            elif word == "live":
                scenes = EndlessScenes()
            else:
                raise errors.UsageError(
                    f"fake:{argument}: {word!r} is not an option of a fake device",
                    hint="--device fake:live,latency=20,changes=50,lost=7",
                )
        return cls(
            scenes,
            lost_after=knobs.get("lost"),
            latency_s=knobs.get("latency", 0) / 1000,
            changes_s=knobs["changes"] / 1000 if "changes" in knobs else None,
        )

    @property
    def name(self) -> str:
        """Its kind and size."""
        return f"fake {self.size}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Back to the first scene; the script is fixed, so `seed` and `language` change nothing.

        Raises:
            DeviceError: `state` or `app` is given; scenes cannot follow.
        """
        if state or app:
            raise errors.DeviceError(
                "a fake device plays its scenes and takes neither state nor app"
            )
        with self._changed:
            self.performed.clear()
            self._down.clear()
            self._time_s, self._by_itself = 0.0, 0
            self._due.clear()
            self._changed_s = monotonic()
            self._changed.notify_all()

    def observe(self) -> Observation:
        """The current scene."""
        self._check()
        scene = self._scene_passed_on()
        return Observation(
            screenshot=Screenshot(scene.picture),
            size=self.size,
            ui_tree=UiTree(scene.xml, self.size) if scene.xml else None,
            app=scene.app,
            time_s=self._time_s,
        )

    def perform(self, action: Action) -> None:
        """Remember the action and show the next scene.

        Raises:
            UnknownAppError: it has no such app.
            UnsupportedActionError: what is to go up is not down, or a keyboard has no such key.
        """
        self._check()
        if isinstance(action, actions.Answer | actions.AskUser | actions.Finish):
            return
        if isinstance(action, actions.OpenApp) and action.app not in self.apps():
            raise errors.UnknownAppError(f"{self.name} has no app {action.app!r}")
        self._note(action)
        if self.latency_s:
            sleep(self.latency_s)
        with self._changed:
            self._time_s += action.duration_s if isinstance(action, actions.Wait) else 1.0
            self.performed.append(action)
            self._changed_s = monotonic()
            if self.changes_s is not None:
                self._due.append(monotonic() + self.changes_s)
            self._changed.notify_all()

    def let_go(self) -> Sequence[str]:
        """Let go what the actions left down; returns what was."""
        down, self._down = [*self._down], {}
        return down

    def _note(self, action: Action) -> None:
        match action:
            case actions.Hotkey(keys=keys):
                for key in keys:
                    key_stroke(key)
                return
            case actions.KeyDown(key=what) | actions.KeyUp(key=what):
                pass
            case actions.ButtonDown(button=button) | actions.ButtonUp(button=button):
                what = f"the {button} button"
            case _:
                return
        if isinstance(action, actions.KeyDown | actions.ButtonDown):
            self._down[what] = None
        elif what in self._down:
            del self._down[what]
        else:
            raise errors.UnsupportedActionError(f"{what} is not down")

    @contextmanager
    def live(self, on_frame: Callable[[LiveFrame], None]) -> Iterator[None]:
        """Pass on each scene as a JPEG when it appears, in a thread of its own."""
        self._check()
        ended, began_s = False, monotonic()
        self._passed_on[began_s] = -1

        def show() -> None:
            last = b""
            while not (ended and last):  # the first, however soon it ends
                with self._changed:
                    position = self._position
                    # When it appeared, however late this thread runs.
                    time_s = max(began_s, self._changed_s)
                picture = self.scenes[position].picture
                if picture != last:
                    last = picture
                    on_frame(LiveFrame(_jpeg(last), "jpeg", self.size, time_s))
                with self._changed:
                    if self._passed_on.get(began_s) != position:
                        self._passed_on[began_s] = position
                        self._changed.notify_all()
                    if self._position == position and not ended:
                        self._changed.wait(self._until_change())

        thread = Thread(target=show, name="fake-live", daemon=True)
        thread.start()
        try:
            yield
        finally:
            with self._changed:
                ended = True
                self._changed.notify_all()
            thread.join()
            del self._passed_on[began_s]

    def log(self, since: int = 0) -> Sequence[str]:
        """The lines of the scenes displayed so far."""
        self._check()
        past = self.scenes[: self._position + 1]
        return [line for scene in past for line in scene.log][since:]

    def state(self, path: str) -> JsonValue:
        """The current scene's state at exactly this path."""
        return self._scene.state.get(path)

    def apps(self) -> Sequence[str]:
        """The apps of its scenes."""
        return sorted({scene.app for scene in self.scenes[:100]})

    def close(self) -> None:
        """Does nothing."""

    @property
    def _scene(self) -> Scene:
        return self.scenes[self._position]

    def _scene_passed_on(self) -> Scene:
        until_s = monotonic() + _PASSED_ON_S
        with self._changed:
            while True:
                position, left_s = self._position, until_s - monotonic()
                if left_s <= 0 or all(one == position for one in self._passed_on.values()):
                    return self.scenes[position]
                self._changed.wait(left_s)

    @property
    def _position(self) -> int:
        """The index of the current scene, after all changes that are due."""
        with self._changed:
            now = monotonic()
            while self._due and self._due[0] <= now:
                self._changed_s = max(self._changed_s, self._due.pop(0))
                self._by_itself += 1
            return min(len(self.performed) + self._by_itself, len(self.scenes) - 1)

    def _until_change(self) -> float | None:
        return max(0.0, self._due[0] - monotonic()) if self._due else None

    def _check(self) -> None:
        if self.lost_after is not None and len(self.performed) >= self.lost_after:
            raise errors.DeviceLostError(f"{self.name}: lost after {self.lost_after} actions")


def painted_scene(number: int, size: Size = DEFAULT_SIZE) -> Scene:
    """A plain screen with one button that carries `number`, for scripts that need any screen."""
    image = Image.new("RGB", (size.width, size.height), "white")
    left, top, right, bottom = (
        size.width // 4, size.height // 3, size.width * 3 // 4, size.height // 2,
    )  # fmt: skip
    draw = ImageDraw.Draw(image)
    draw.rectangle((left, top, right - 1, bottom - 1), fill=(66, 133, 244 - 20 * (number % 10)))
    draw.text((left + 10, top + 10), f"Button {number}", fill="white")
    buffer = BytesIO()
    image.save(buffer, "PNG")
    xml = (
        f'<hierarchy rotation="0"><node index="0" class="android.widget.FrameLayout" '
        f'bounds="[0,0][{size.width},{size.height}]"><node index="0" text="Button {number}" '
        f'resource-id="com.example.fake:id/button" class="android.widget.Button" '
        f'clickable="true" enabled="true" bounds="[{left},{top}][{right},{bottom}]" />'
        "</node></hierarchy>"
    )
    return Scene(picture=buffer.getvalue(), xml=xml)


_painted = lru_cache(maxsize=256)(painted_scene)


@lru_cache(maxsize=64)
def _jpeg(picture: bytes) -> bytes:
    buffer = BytesIO()
    with Image.open(BytesIO(picture)) as image:
        image.convert("RGB").save(buffer, "JPEG", quality=80)
    return buffer.getvalue()
