"""The mouse, the keyboard and the clipboard of a served desktop, for programs that run in it."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from tapwright.core.actions import Button
from tapwright.devices.desktop.device import Desktop
from tapwright.devices.desktop.pointer import Pixel

__all__ = ["INPUT", "perform_input"]


class _Input(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Ask(_Input):
    do: Literal["size", "position", "paste"]


class _Move(_Input):
    do: Literal["move"]
    x: int
    y: int


class _Click(_Input):
    do: Literal["click"]
    x: int
    y: int
    button: Button
    clicks: Annotated[int, Field(ge=1, le=10)]


class _Press(_Input):
    do: Literal["button"]
    button: Button
    down: bool


class _Wheel(_Input):
    do: Literal["wheel"]
    notches: Annotated[int, Field(ge=-1000, le=1000)]
    sideways: bool


class _Key(_Input):
    do: Literal["key"]
    key: str
    down: bool


class _Chord(_Input):
    do: Literal["chord"]
    keys: Annotated[list[str], Field(min_length=1, max_length=16)]


class _Text(_Input):
    do: Literal["type", "copy"]
    text: Annotated[str, Field(max_length=1_000_000)]


_AnyInput: TypeAlias = Annotated[
    _Ask | _Move | _Click | _Press | _Wheel | _Key | _Chord | _Text, Field(discriminator="do")
]
INPUT: TypeAdapter[_AnyInput] = TypeAdapter(_AnyInput)


def perform_input(desktop: Desktop, asked: _AnyInput) -> JsonValue:
    """Do what a program asks, and return when the window in front has read it.

    Raises:
        UnsupportedActionError: a keyboard has no such key.
    """
    machine = desktop.machine
    match asked:
        case _Ask(do="size"):
            return {"width": desktop.size.width, "height": desktop.size.height}
        case _Ask(do="position"):
            x, y = machine.pointer.place()
            return {"x": x, "y": y}
        case _Ask():
            return {"text": desktop.clipboard()}
        case _Move(x=x, y=y):
            machine.pointer.move(_on_screen(desktop, x, y))
        case _Click(x=x, y=y, button=button, clicks=clicks):
            machine.pointer.click(_on_screen(desktop, x, y), button, times=clicks)
        case _Press(button=button, down=down):
            machine.hand.set_button(button, down=down)
        case _Wheel(notches=notches, sideways=sideways):
            machine.pointer.turn(notches, sideways=sideways)
        case _Key(key=key, down=down):
            machine.hand.set_key(key, down=down)
        case _Chord(keys=keys):
            machine.keyboard.chord(keys)
        case _Text(do="copy", text=text):
            desktop.set_clipboard(text)
        case _Text(text=text):
            machine.keyboard.type(text)
    machine.arrival.wait()
    return None


def _on_screen(desktop: Desktop, x: int, y: int) -> Pixel:
    """The nearest pixel of the screen, as an X server has it."""
    return (min(max(x, 0), desktop.size.width - 1), min(max(y, 0), desktop.size.height - 1))
