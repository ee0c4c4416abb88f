"""Names that every system takes: laws of what is made of any text."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from tapwright.files.names import portable_name

# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
DEVICES = {
    *("con", "prn", "aux", "nul", "conin$", "conout$"),
    *(f"{kind}{number}" for kind in ("com", "lpt") for number in "0123456789¹²³"),
}
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.text('.:/\\ <>|?*"=~aB', max_size=12),
    st.builds(
        "{}{}".format, st.sampled_from(sorted(DEVICES)), st.sampled_from(["", ".txt", " .a", "."])
    ),
    st.integers(150, 600).flatmap(lambda length: st.sampled_from(["a" * length, "演" * length])),
)


def is_valid_on_windows(name: str) -> bool:
    return (
        0 < len(name.encode("utf-16-le")) // 2 <= 255
        and not re.search(r'[<>:"/\\|?*\x00-\x1f]', name)
        and name[-1] not in ". "
        and name.partition(".")[0].rstrip(" ").lower() not in DEVICES
    )


@given(TEXTS)
@example("CON")
@example("aux.txt")
@example("..")
@example("")
def test_a_name_made_of_any_text_is_valid_on_windows_and_on_linux(text: str) -> None:
    name = portable_name(text)
    assert is_valid_on_windows(name)
    assert len(name.encode()) <= 200
    assert "/" not in name
    assert not name.startswith(".")


@given(TEXTS)
def test_what_is_such_a_name_stays_as_it_is(text: str) -> None:
    name = portable_name(text)
    assert portable_name(name) == name


def test_a_common_name_stays_readable() -> None:
    assert portable_name("l2-openai-qwen2.5-vl-7b") == "l2-openai-qwen2.5-vl-7b"
    assert portable_name("商城 type1") == "商城 type1"
    assert portable_name("own:Reader") == "own_Reader"


def test_long_texts_that_differ_at_their_ends_have_two_names() -> None:
    assert portable_name("a" * 300 + "1") != portable_name("a" * 300 + "2")
