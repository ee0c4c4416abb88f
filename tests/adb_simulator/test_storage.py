import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright_adb_simulator import storage
from tapwright_adb_simulator.storage import FileProblem, Storage

NAMES = st.text(
    st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8
).filter(lambda name: name not in (".", ".."))


@pytest.mark.slow
@given(names=st.lists(NAMES, min_size=1, max_size=4), data=st.binary(max_size=50))
def test_a_file_is_read_as_it_was_written(names: list[str], data: bytes) -> None:
    files = Storage()
    path = "/sdcard/" + "/".join(names)
    files.write(path, data, mode=0o640, time_s=7)
    assert files.read(path) == data
    assert files.read("/storage/emulated/0/" + "/".join(names)) == data
    assert files.read(f"/data/../{path}") == data
    files.remove("/sdcard/" + names[0], folders=True)
    with pytest.raises(FileProblem):
        files.find(path)


def test_a_way_up_ends_at_the_root() -> None:
    files = Storage()
    files.write("/../../../etc/passwd", b"mine")
    assert files.read("/etc/passwd") == b"mine"


def test_folders_and_files_do_not_stand_for_each_other() -> None:
    files = Storage()
    files.write("/sdcard/a", b"")
    for attempt in (
        lambda: files.write("/sdcard", b""),
        lambda: files.write("/", b""),
        lambda: files.write("/sdcard/a/b", b""),
        lambda: files.read("/sdcard"),
        lambda: files.remove("/sdcard"),
        lambda: files.remove("/", folders=True),
    ):
        with pytest.raises(FileProblem):
            attempt()


def test_the_phone_is_full_at_some_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "MAX_STORED", 100)
    files = Storage()
    files.write("/sdcard/a", bytes(90))
    files.write("/sdcard/a", bytes(100))
    with pytest.raises(FileProblem, match="No space left"):
        files.write("/sdcard/b", b"1")
