from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from tapwright.drawing import text as lettering
from tapwright.drawing.errors import FontMissingError
from tapwright.drawing.text import find_font, width_of, wrap, write


@given(text=st.text(max_size=60), width=st.integers(30, 400))
def test_no_row_is_wider_than_it_may_be_and_no_letter_is_lost(text: str, width: int) -> None:
    rows = wrap(text, 12, width)
    assert all(width_of(row, 12) <= width or len(row) < 12 for row in rows)
    written = "".join(rows).replace(" ", "")
    assert all(char in written for char in text if char.isalnum() and char.isascii())


def test_punctuation_stays_with_what_it_closes() -> None:
    rows = wrap("先看屏幕，再点击右上角的按钮，因为它打开设置。" * 3, 12, 100)
    assert len(rows) > 5
    assert not any(row[0] in "，。" for row in rows)


def test_a_character_that_no_font_has_is_written_as_its_number() -> None:
    assert wrap("Miao: \U00016f00", 12, 500) == ["Miao: [U+16F00]"]
    assert wrap("half: \ud83d", 12, 500) == ["half: [U+D83D]"]


def test_a_font_is_found_for_all_of_a_text_or_none() -> None:
    assert find_font("plain words").is_file()
    with pytest.raises(FontMissingError):
        find_font("words and \U00016f00")


def test_a_machine_without_fonts_writes_english_and_chinese(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lettering, "_font_folders", lambda: [tmp_path])
    caches = (lettering._font_files, lettering._font_for, lettering._is_known)
    for cached in caches:
        cached.cache_clear()
    try:
        assert find_font("打开 Settings").name == "NotoSansSC-Regular.otf"
        assert wrap("打开 Settings：设置", 12, 500) == ["打开 Settings：设置"]
        picture = Image.new("L", (200, 20))
        write(ImageDraw.Draw(picture), (2, 15), "打开", 12, "white")
        assert picture.getbbox() is not None
    finally:
        for cached in caches:
            cached.cache_clear()
