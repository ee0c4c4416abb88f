import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tapwright.files.errors import RemoteFileError
from tapwright.files.place import Place
from tapwright.files.urls import copy_name, file_path, is_url, url_of

NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda name: name not in (".", ".."))


@given(NAMES)
def test_a_path_its_url_and_that_urls_url_are_one_place(name: str) -> None:
    path = Path("/mnt") / name
    url = url_of(path)
    assert file_path(url) == path
    assert {url_of(url), url_of(f"{url}/"), url_of(f"{url[:7]}localhost{url[7:]}")} == {url}


@given(NAMES)
def test_the_copy_of_any_place_has_a_name_that_a_disk_takes(name: str) -> None:
    made = copy_name(url_of(Path("/mnt") / name))
    assert 0 < len(made.encode()) <= 40
    assert not {"/", "~", " "} & set(made)
    assert made not in (".", "..")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("file:///mnt/a%20b", "/mnt/a b"),
        ("file:///mnt/a b/", "/mnt/a b"),
        ("file:/mnt/a", "/mnt/a"),
        ("FILE://LOCALHOST/mnt/%E4%B8%AD", "/mnt/中"),
        ("file:///mnt/中", "/mnt/中"),
        ("file:///mnt/a#b?c", "/mnt/a#b?c"),
        ("file:///mnt/a%23b%3Fc%2525", "/mnt/a#b?c%25"),
        ("file:///mnt/100%", "/mnt/100%"),
        ("file:///mnt/a::b*", "/mnt/a::b*"),
        ("file:///~/a", "/~/a"),
        ("file://~/a", str(Path.home() / "a")),
        ("file:///", "/"),
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="paths of Windows have a drive")
def test_a_file_url_is_decoded_once(url: str, path: str) -> None:
    assert is_url(url)
    assert file_path(url) == Path(path)


@pytest.mark.skipif(os.name != "nt", reason="paths of Windows have a drive")
@pytest.mark.parametrize("url", ["file:///C:/a%20b", "file:/C:/a b", "file://C:/a b"])
def test_a_file_url_of_windows_has_a_drive(url: str) -> None:
    assert file_path(url) == Path("C:/a b")


@pytest.mark.parametrize(
    "url", ["file://lab/mnt/a", "file://relative", "file://", "file:///a%00b", "file://127.0.0.1/a"]
)
def test_a_file_of_another_machine_and_no_file_are_refused_by_name(url: str) -> None:
    with pytest.raises(RemoteFileError, match="expected a path of this machine"):
        url_of(url)


@pytest.mark.parametrize("text", ["a%20b", "/mnt/a%20b", "s3:/a", "C:/a", "file:a", "100%", "~/a"])
def test_a_path_stays_as_it_is_written(text: str) -> None:
    assert not is_url(text)
    assert file_path(url_of(text)) == Path(text).absolute()


def test_other_urls_are_not_decoded() -> None:
    assert url_of("s3://bucket/a%20b/") == "s3://bucket/a%20b"
    assert file_path("s3://bucket/a%20b") is None


def test_a_place_is_where_its_url_says(tmp_path: Path) -> None:
    there = tmp_path / "a b %41 #中::x"
    for number, location in enumerate((there.as_uri(), str(there), f"file://{there}")):
        Place(location).put(f"{number}", b"")
    assert sorted(one.name for one in there.iterdir()) == ["0", "1"]
