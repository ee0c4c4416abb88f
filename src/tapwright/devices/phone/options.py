"""What the words after `phone:` choose: size, picture, look, navigation, keyboard."""

import re
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import ceil
from typing import Literal, Self

from tapwright.core.geometry import Size
from tapwright.devices.chromium_device import Viewport
from tapwright.devices.page_capture import CaptureOptions
from tapwright.errors import UsageError

__all__ = ["KEYBOARDS", "LOOKS", "NAVIGATIONS", "PhoneOptions", "PhoneShape"]


LOOKS = ("classic", "orchid", "seed")
"""What the phone looks like: two vendors' phones, or one that each seed draws anew."""

NAVIGATIONS = ("buttons", "gestures")
"""How one goes back and home: three buttons, or swipes from the edges."""

KEYBOARDS = ("screen", "off")
"""Where keys are: on the screen below a focused field, or nowhere."""

_CHOICES = {"look": LOOKS, "navigation": NAVIGATIONS, "keyboard": KEYBOARDS}
_WORDS = ("jpeg", "png", "tablet", *(f"{name}=" for name in _CHOICES))
_WORDS_HINT = "a size (2400x1080 is landscape), jpeg, png, tablet, " + ", ".join(
    f"{name}={'|'.join(values)}" for name, values in _CHOICES.items()
)
_PHONE = Size(1080, 2400)
_TABLET = Size(1600, 2560)
_TABLET_CSS_PX = 800.0


@dataclass(frozen=True, slots=True)
class PhoneOptions:
    """A phone as `phone:WORD,WORD` describes it; `density` is device pixels to a CSS pixel.

    The density follows the shorter side, so that every phone's page is as wide as a phone's and
    every tablet's as wide as a tablet's.
    """

    size: Size = _PHONE
    density: float = 2.625
    picture: Literal["png", "jpeg"] = "png"
    look: str = "classic"
    navigation: str = "buttons"
    keyboard: str = "screen"

    @classmethod
    def parse(cls, argument: str) -> Self:
        """Read "1080x2400,jpeg,look=orchid,navigation=gestures"; "" is the default phone.

        Raises:
            UsageError: a word is malformed or unknown.
        """
        options, size, tablet = cls(), None, False
        for word in filter(None, argument.split(",")):
            name, _, value = word.partition("=")
            if match := re.fullmatch(r"(\d{3,4})x(\d{3,4})", word, re.ASCII):
                size = Size(int(match[1]), int(match[2]))
            elif word == "jpeg":
                options = replace(options, picture="jpeg")
            elif word == "png":
                options = replace(options, picture="png")
            elif word == "tablet":
                tablet = True
            elif name in _CHOICES and value in _CHOICES[name]:
                options = options._choosing(name, value)
            else:
                raise _bad_word(argument, word, name)
        size = size or (_TABLET if tablet else _PHONE)
        shorter = min(size.width, size.height)
        density = shorter / _TABLET_CSS_PX if tablet else shorter * 2.625 / 1080
        return replace(options, size=size, density=density)

    def _choosing(self, name: str, value: str) -> Self:
        match name:
            case "look":
                return replace(self, look=value)
            case "navigation":
                return replace(self, navigation=value)
            case _:
                return replace(self, keyboard=value)

    @property
    def query(self) -> str:
        """What the phone's page is told, as the query of its address; "" for the default phone."""
        chosen = {"look": self.look, "navigation": self.navigation, "keyboard": self.keyboard}
        others = [f"{name}={value}" for name, value in chosen.items() if value != _CHOICES[name][0]]
        return "?" + "&".join(others) if others else ""


def _bad_word(argument: str, word: str, name: str) -> UsageError:
    if name in _CHOICES:
        return UsageError(
            f"phone:{argument}: {word!r} is no {name}; expected {', '.join(_CHOICES[name])}",
            hint=f"--device phone:{name}={_CHOICES[name][1]}",
        )
    near = get_close_matches(f"{name}=" if "=" in word else word, _WORDS, n=1)
    return UsageError(
        f"phone:{argument}: {word!r} is neither a size nor a word of the phone's",
        hint=f"did you mean {near[0]!r}?" if near else _WORDS_HINT,
    )


@dataclass(frozen=True, slots=True)
class PhoneShape:
    """A screen of `size` device and `width` x `height` CSS pixels, pictured in `frame` pixels."""

    size: Size
    width: float
    height: float
    frame: Size
    picture: CaptureOptions
    viewport: Viewport

    @classmethod
    def of(cls, options: PhoneOptions, size: Size) -> Self:
        """The screen of a phone that is turned so that it has `size`."""
        width, height = size.width / options.density, size.height / options.density
        if options.picture == "png":
            frame, picture = size, CaptureOptions("png", width, height)
        else:
            # As Chromium rounds. A clip that is not the whole view would cost one more frame.
            frame = Size(int(width + 0.5), int(height + 0.5))
            picture = CaptureOptions("jpeg", width, height, scale=1 / options.density)
        viewport = Viewport(Size(ceil(width), ceil(height)), options.density, mobile=True)
        return cls(size, width, height, frame, picture, viewport)

    @property
    def is_wide(self) -> bool:
        """Whether it is wider than high."""
        return self.size.width > self.size.height
