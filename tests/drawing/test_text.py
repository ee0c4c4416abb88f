from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from tapwright.drawing import text as drawing_text
from tapwright.drawing.text import draw_text, find_font, measure_text, wrap_text
from tapwright.errors import TapwrightError


@given(text=st.text(max_size=60), width=st.integers(30, 400))
def test_no_row_is_wider_than_it_may_be_and_no_letter_is_lost(text: str, width: int) -> None:
    rows = wrap_text(text, 12, width)
    assert all(measure_text(row, 12) <= width or len(row) < 12 for row in rows)
    written = "".join(rows).replace(" ", "")
    assert all(char in written for char in text if char.isalnum() and char.isascii())


def test_punctuation_stays_with_what_it_closes() -> None:
    rows = wrap_text("先看屏幕，再点击右上角的按钮，因为它打开设置。" * 3, 12, 100)
    assert len(rows) > 5
    assert not any(row[0] in "，。" for row in rows)


def test_a_character_that_no_font_has_is_written_as_its_number() -> None:
    assert wrap_text("Miao: \U00016f00", 12, 500) == ["Miao: [U+16F00]"]
    assert wrap_text("half: \ud83d", 12, 500) == ["half: [U+D83D]"]


def test_a_font_is_found_for_all_of_a_text_or_none() -> None:
    assert find_font("plain words").is_file()
    with pytest.raises(TapwrightError):
        find_font("words and \U00016f00")


def test_a_machine_without_fonts_writes_english_and_chinese(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(drawing_text, "_font_folders", lambda: [tmp_path])
    caches = (drawing_text._font_files, drawing_text._font_for, drawing_text._has_font)
    for cached in caches:
        cached.cache_clear()
    try:
        assert find_font("打开 Settings").name == "NotoSansSC-Regular.otf"
        assert wrap_text("打开 Settings：设置", 12, 500) == ["打开 Settings：设置"]
        picture = Image.new("L", (200, 20))
        draw_text(ImageDraw.Draw(picture), (2, 15), "打开", 12, "white")
        assert picture.getbbox() is not None
    finally:
        for cached in caches:
            cached.cache_clear()
