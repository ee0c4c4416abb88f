"""A recorded episode served as a device: the same screens, for agents and tests without a phone."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from tapwright.core.actions import (
    Action,
    Answer,
    AskUser,
    DoubleTap,
    Finish,
    LongPress,
    OpenApp,
    Tap,
    TripleTap,
    TypeText,
)
from tapwright.core.episode import Episode
from tapwright.core.observation import Observation, UiTree
from tapwright.devices.device import Overrides
from tapwright.errors import DeviceError, UsageError
from tapwright.files.closing import Closing
from tapwright.store.addresses import split_address
from tapwright.store.store import EpisodeStore

__all__ = ["SAME_PLACE", "ReplayDevice"]

SAME_PLACE = 0.04
"""Two touches this close (in fractions of the screen) count as one place, as AITW rules it."""


class ReplayDevice(Closing):
    """Shows an episode's screens in order; each action leads to the next recorded one.

    An action that differs from the recorded one cannot change the screens, so it is noted:
    `diverged` has the numbers of such steps, where each of several actions of one step counts as a
    step of its own. After the last step the final screen stays.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._parts = [part for step in episode.steps for part in step.parts]
        screens = [part.observation for part in self._parts]
        if episode.final is not None:
            screens.append(episode.final)
        if not screens:
            raise DeviceError(f"episode {episode.id} has no screen to replay")
        self._screens = screens
        self._position = 0
        self.diverged: list[int] = []

    @classmethod
    def named(cls, argument: str = "") -> "ReplayDevice":
        """The device that replays the episode at `argument`, "STORE/ID".

        Raises:
            UsageError: no episode is named.
            DeviceError: the episode has no screen.
            StoreError: the episode cannot be read.
        """
        path = Path(argument)
        if not argument or not path.name:
            raise UsageError(
                f"replay:{argument}: no episode is named", hint="--device replay:STORE/ID"
            )
        store, id_ = split_address(path)
        return cls(EpisodeStore(store).read(id_))

    @property
    def name(self) -> str:
        """Its kind and the episode."""
        return f"replay {self.episode.id}"

    def reset(
        self, *, seed: int = 0, language: str = "en", state: Overrides | None = None, app: str = ""
    ) -> None:
        """Back to the first screen; the recording decides the rest."""
        self._position = 0
        self.diverged.clear()

    def observe(self) -> Observation:
        """The screen that the recording had here."""
        return self._screens[self._position]

    def perform(self, action: Action) -> None:
        """Advance to the next recorded screen, noting an action that differs from the recording.

        Actions towards the user change no screen, and recorded steps with them are skipped.
        """
        if isinstance(action, Answer | AskUser | Finish):
            return
        while self._position + 1 < len(self._screens) and isinstance(
            self._parts[self._position].decision.action, Answer | AskUser | Finish
        ):
            self._position += 1
        if self._position < len(self._parts):
            step = self._parts[self._position]
            if not _alike(action, step.decision.action, step.observation.ui_tree):
                self.diverged.append(self._position)
        self._position = min(self._position + 1, len(self._screens) - 1)

    def log(self, since: int = 0) -> Sequence[str]:
        """The lines that the recording has for the steps replayed so far."""
        done = self._parts[: self._position]
        return [line for step in done for line in step.log][since:]

    def state(self, path: str) -> JsonValue:
        """The value that the recording's task read after the last step; None if it read none."""
        done = self._parts[: self._position]
        return done[-1].state.get(path) if done else None

    def apps(self) -> Sequence[str]:
        """The apps that the recording opened by name."""
        actions = (part.decision.action for part in self._parts)
        return sorted({action.app for action in actions if isinstance(action, OpenApp)})

    def close(self) -> None:
        """Does nothing."""


def _alike(given: Action, recorded: Action, tree: UiTree | None) -> bool:
    """Whether two actions have the same effect on one screen: same element, or nearly same place.

    Texts and app names are compared; other details (durations, ends of swipes) are not.
    """
    if given.type != recorded.type:
        return False
    match given, recorded:
        case (
            (Tap(at=one) | DoubleTap(at=one) | TripleTap(at=one) | LongPress(at=one)),
            (Tap(at=other) | DoubleTap(at=other) | TripleTap(at=other) | LongPress(at=other)),
        ):
            if one.distance(other) <= SAME_PLACE:
                return True
            return tree is not None and tree.at(one) is tree.at(other) is not None
        case TypeText(text=one_text), TypeText(text=other_text):
            # Whether Enter is pressed at once or as an action of its own.
            return one_text.removesuffix("\n") == other_text.removesuffix("\n")
        case OpenApp(app=one_app), OpenApp(app=other_app):
            return one_app == other_app
    return True
