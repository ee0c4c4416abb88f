import pytest

from tapwright.core.language import Language, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("", "en"),
        ("12:30", "en"),
        ("Turn on Wi-Fi", "en"),
        ("打开 Wi-Fi", "zh"),
        ("Find the note called 买菜", "en"),
        ("设置", "zh"),
    ],
)
def test_a_text_is_chinese_when_a_fifth_of_its_letters_are(text: str, language: Language) -> None:
    assert language_of(text) == language
