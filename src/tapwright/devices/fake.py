"""A scripted device in memory: every test and tutorial runs on it, without a browser or a phone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Self

from PIL import Image, ImageDraw
from pydantic import JsonValue

from tapwright.actions import Action, Answer, Finish, OpenApp, Wait
from tapwright.errors import DeviceError, DeviceLostError, UnknownAppError
from tapwright.geometry import Size
from tapwright.observation import Observation, UiTree
from tapwright.screenshot import Screenshot

__all__ = [
    "DEFAULT_SIZE",
    "FakeDevice",
    "Scene",
    "painted_scene",
]

DEFAULT_SIZE = Size(270, 600)


@dataclass(frozen=True, slots=True)
class Scene:
    """One scripted screen: its picture's bytes, its view hierarchy, its app, what it logs."""

    picture: bytes
    xml: str = ""
    app: str = "com.example.fake"
    log: tuple[str, ...] = ()
    state: Mapping[str, JsonValue] = field(default_factory=dict)


class FakeDevice:
    """Shows its scenes in order: every action leads to the next one, and the last one stays.

    Actions are kept in `performed`, but for those that go to the user. After `lost_after` actions
    it behaves as if unplugged.
    """

    def __init__(
        self,
        scenes: Sequence[Scene] = (),
        *,
        size: Size = DEFAULT_SIZE,
        lost_after: int | None = None,
    ) -> None:
        self.scenes = tuple(scenes) or tuple(painted_scene(number, size) for number in range(4))
        self.size = size
        self.lost_after = lost_after
        self.performed: list[Action] = []
        self._time_s = 0.0

    @classmethod
    def named(cls, argument: str = "") -> "FakeDevice":
        """The fake device of the default script; it takes no argument."""
        if argument:
            raise DeviceError(f"fake:{argument}: the fake device takes no argument")
        return cls()

    @property
    def name(self) -> str:
        """Its kind and size."""
        return f"fake {self.size}"

    def reset(
        self,
        *,
        seed: int = 0,
        language: str = "en",
        state: Mapping[str, JsonValue] | None = None,
        app: str = "",
    ) -> None:
        """Back to the first scene; the script is fixed, so `seed` and `language` change nothing.

        Raises:
            DeviceError: `state` or `app` is given; scenes cannot follow.
        """
        if state or app:
            raise DeviceError("a fake device plays its scenes and takes neither state nor app")
        self.performed.clear()
        self._time_s = 0.0

    def observe(self) -> Observation:
        """The current scene."""
        self._check()
        scene = self._scene
        return Observation(
            screenshot=Screenshot(scene.picture),
            size=self.size,
            ui_tree=UiTree(scene.xml, self.size) if scene.xml else None,
            app=scene.app,
            time_s=self._time_s,
        )

    def perform(self, action: Action) -> None:
        """Remember the action and show the next scene."""
        self._check()
        if isinstance(action, Answer | Finish):
            return
        if isinstance(action, OpenApp) and action.app not in self.apps():
            raise UnknownAppError(f"{self.name} has no app {action.app!r}")
        self._time_s += action.duration_s if isinstance(action, Wait) else 1.0
        self.performed.append(action)

    def log(self, since: int = 0) -> Sequence[str]:
        """The lines of the scenes shown so far."""
        shown = self.scenes[: len(self.performed) + 1]
        return [line for scene in shown for line in scene.log][since:]

    def state(self, path: str) -> JsonValue:
        """The current scene's state at exactly this path."""
        return self._scene.state.get(path)

    def apps(self) -> Sequence[str]:
        """The apps of its scenes."""
        return sorted({scene.app for scene in self.scenes})

    def close(self) -> None:
        """Nothing to let go of."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def _scene(self) -> Scene:
        return self.scenes[min(len(self.performed), len(self.scenes) - 1)]

    def _check(self) -> None:
        if self.lost_after is not None and len(self.performed) >= self.lost_after:
            raise DeviceLostError(f"{self.name}: lost after {self.lost_after} actions")


def painted_scene(number: int, size: Size = DEFAULT_SIZE) -> Scene:
    """A plain screen with one button that carries `number`, for scripts that need just any."""
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
