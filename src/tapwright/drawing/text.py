"""Text on a picture: finds fonts, wraps lines, and draws them.

Every machine has a font for English and Chinese, as one comes with tapwright; the system's fonts
are preferred. A character that no font has is drawn as its code point, `[U+1F600]`:
a single character in a recording must not make the whole impossible to draw.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from PIL import Image, ImageDraw, ImageFont

from tapwright.drawing.errors import FONT_MISSING

__all__ = [
    "BLACK", "CaptionLine", "add_caption", "bundled_font_folders", "draw_text",
    "draw_text_strip", "find_font", "font_settings", "font_size", "measure_text", "wrap_text",
]  # fmt: skip


# Names without extension, in the order in which they are tried; the first covers most scripts.
_FONTS = (
    "DejaVuSans", "NotoSans-Regular", "NotoSansCJK-Regular", "NotoSansCJKsc-Regular",
    "NotoSansSC-Regular", "SourceHanSansSC-Regular", "wqy-microhei", "wqy-zenhei",
    "DroidSansFallbackFull", "PingFang", "Hiragino Sans GB", "STHeiti Medium", "Arial Unicode",
    "msyh", "simsun", "segoeui", "Arial", "NotoSansArabic-Regular", "NotoSansDevanagari-Regular",
    "NotoSansThai-Regular", "NotoSansHebrew-Regular", "NotoSansSymbols2-Regular", "Symbola",
    "NotoEmoji-Regular", "seguiemj",
)  # fmt: skip
# In the wheel; a checkout has it where the wheel takes it from: docs/dependencies.md.
_BUNDLED = Path(__file__).parent / "fonts"
_SOURCE = "pylopdf_fonts_zh_cn"
_HINT = "install the Noto fonts, for example Debian's fonts-noto-core and fonts-noto-cjk"
_IDEOGRAPHS = "\u2e80"
_CLOSING = frozenset("，。、；：？！）》」』】〉”’…—·,.;:?!)]}%")
_NEVER_IN_A_FONT = "\U0010fffe"


def find_font(text: str) -> Path:
    """The first installed font that has every character of `text`.

    Raises:
        TapwrightError: none has.
    """
    for path in _font_files():
        if all(_has(path, char) for char in text):
            return path
    raise FONT_MISSING(f"no installed font has every character of {text!r}", hint=_HINT)


def measure_text(text: str, size_px: int) -> float:
    """The width of a text in pixels, in a font of `size_px`."""
    return sum(font.getlength(run) for run, font in _runs(text, size_px))


def wrap_text(line: str, size_px: int, width_px: float) -> list[str]:
    """The line in rows that fit, broken between words, or inside words that are too long.

    Control characters become blanks, and characters that no font has their code points.
    """
    clean = "".join(_drawable(char) for char in line)
    rows, row, length = [], "", 0.0
    for word in _words(clean):
        wide = measure_text(word, size_px)
        if row and length + wide > width_px:
            rows.append(row.rstrip())
            row, length = "", 0.0
            word = word.lstrip()
            wide = measure_text(word, size_px)
        for char in word if wide > width_px else (word,):
            more = measure_text(char, size_px)
            if row and length + more > width_px:
                rows.append(row.rstrip())
                row, length = "", 0.0
            row += char
            length += more
    return [*rows, row.rstrip()]


def _words(line: str) -> Iterator[str]:
    """Pieces that may begin a row: words with the blank before them, single ideographs.

    Closing punctuation stays with the piece before it.
    """
    piece = ""
    for char in line:
        if char in _CLOSING and piece.strip():
            piece += char
        elif piece and (char == " " or char >= _IDEOGRAPHS or piece[-1] >= _IDEOGRAPHS):
            yield piece
            piece = char
        else:
            piece += char
    if piece:
        yield piece


def draw_text(
    draw: ImageDraw.ImageDraw, place: tuple[float, float], text: str, size_px: int, color: str
) -> None:
    """Draw a text at `place`, the left end of its baseline, in pixels."""
    x, baseline = place
    for run, font in _runs(text, size_px):
        draw.text((x, baseline), run, fill=color, font=font, anchor="ls")
        x += font.getlength(run)


def _runs(text: str, size_px: int) -> list[tuple[str, ImageFont.FreeTypeFont]]:
    """The text in pieces, each with the first font that has all its characters."""
    runs: list[tuple[str, ImageFont.FreeTypeFont]] = []
    for char in text:
        font = _font(_font_for(char), size_px)
        if runs and (runs[-1][1] is font or char == " "):
            runs[-1] = (runs[-1][0] + char, runs[-1][1])
        else:
            runs.append((char, font))
    return runs


def _drawable(char: str) -> str:
    half = 0xD800 <= ord(char) < 0xE000
    if not char.isprintable() and not half:
        return " "
    return char if not half and _has_font(char) else f"[U+{ord(char):04X}]"


@cache
def _has_font(char: str) -> bool:
    return any(_has(path, char) for path in (*_font_files(), None))


@cache
def _font_for(char: str) -> Path | None:
    """The first font that has a character; None is the one that is part of Pillow."""
    return next((path for path in _font_files() if _has(path, char)), None)


def _has(path: Path | None, char: str) -> bool:
    font = _font(path, 24)
    return char.isspace() or bytes(font.getmask(char)) != bytes(font.getmask(_NEVER_IN_A_FONT))


@cache
def _font(path: Path | None, size_px: int) -> ImageFont.FreeTypeFont:
    if path is not None:
        return ImageFont.truetype(str(path), size_px)
    built_in = ImageFont.load_default(size_px)
    if isinstance(built_in, ImageFont.FreeTypeFont):
        return built_in
    raise FONT_MISSING("no font is installed", hint="install DejaVu Sans")


@cache
def _font_files() -> tuple[Path, ...]:
    """The fonts of `_FONTS` that are installed, in that order."""
    found: dict[str, Path] = {}
    for folder in (*_font_folders(), *bundled_font_folders()):
        for base, _, names in os.walk(folder):
            for name in names:
                stem, extension = os.path.splitext(name)
                if extension.lower() in (".ttf", ".ttc", ".otf"):
                    found.setdefault(stem.lower(), Path(base, name))
    return tuple(found[name.lower()] for name in _FONTS if name.lower() in found)


def bundled_font_folders() -> list[Path]:
    """The directories of fonts that came with tapwright."""
    if _BUNDLED.is_dir():
        return [_BUNDLED]
    spec = find_spec(_SOURCE)
    return [] if spec is None or spec.origin is None else [Path(spec.origin).parent]


def font_settings(more: str = "") -> str:
    """Fontconfig's settings: the machine's own, the bundled fonts, and `more` in XML."""
    folder = Path(os.environ.get("FONTCONFIG_PATH", "/etc/fonts"))
    machine = folder / os.environ.get("FONTCONFIG_FILE", "fonts.conf")
    folders = "".join(f"<dir>{escape(str(one))}</dir>" for one in bundled_font_folders())
    include = f'<include ignore_missing="yes">{escape(str(machine))}</include>'
    return f"<fontconfig>{include}{folders}{more}</fontconfig>"


def _font_folders() -> list[Path]:
    """The directories of the system's fonts."""
    home = Path.home()
    if sys.platform == "win32":
        return [Path("C:/Windows/Fonts"), home / "AppData/Local/Microsoft/Windows/Fonts"]
    if sys.platform == "darwin":
        return [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    return [
        home / ".local/share/fonts",
        home / ".fonts",
        Path("/usr/local/share/fonts"),
        Path("/usr/share/fonts"),
    ]


BLACK = "#1A1A1A"
_PAPER = "#F5F5F5"


class CaptionLine(NamedTuple):
    """A line of text and its colour."""

    text: str
    color: str = _PAPER


def add_caption(
    image: Image.Image,
    lines: Sequence[str | CaptionLine],
    *,
    size_px: int | None = None,
    background: str = BLACK,
    above: bool = False,
) -> Image.Image:
    """The picture with lines of text below it, or above; `draw_text_strip` has the options."""
    strip = draw_text_strip(lines, image.width, size_px=size_px, background=background)
    captioned = Image.new("RGB", (image.width, image.height + strip.height), background)
    captioned.paste(image, (0, strip.height if above else 0))
    captioned.paste(strip, (0, 0 if above else image.height))
    return captioned


def draw_text_strip(
    lines: Sequence[str | CaptionLine],
    width_px: int,
    *,
    size_px: int | None = None,
    background: str = BLACK,
    max_rows: int | None = None,
) -> Image.Image:
    """Lines of text in any script on a strip of a width, wrapped to it.

    `size_px` is the font size; by default it follows the width. Of more than `max_rows` rows the
    rest is cut, and the last one ends in "…".
    """
    size_px = size_px or font_size(width_px)
    pad, step = size_px // 2 + 2, round(size_px * 1.45)
    rows = [
        CaptionLine(row, line.color)
        for line in (CaptionLine(line) if isinstance(line, str) else line for line in lines)
        for row in wrap_text(line.text, size_px, width_px - 2 * pad)
    ]
    if max_rows is not None and len(rows) > max_rows:
        text, color = rows[max_rows - 1]
        rows = [*rows[: max_rows - 1], CaptionLine(f"{text[:-1]}…", color)]
    strip = Image.new("RGB", (width_px, 2 * pad + step * len(rows)), background)
    draw = ImageDraw.Draw(strip)
    for number, row in enumerate(rows):
        draw_text(draw, (pad, pad + step * number + size_px), row.text, size_px, row.color)
    return strip


def font_size(width_px: int) -> int:
    """The font size, in pixels, for a strip of a width."""
    return max(12, round(width_px / 24))
