"""Pyperclip's functions for programs that run in a served desktop: its own clipboard."""

from pyautogui import ask


def copy(text: object) -> None:
    """Put a text on the clipboard."""
    ask(do="copy", text=str(text))


def paste() -> str:
    """The text on the clipboard."""
    return str(ask(do="paste")["text"])
