from pathlib import Path

import pytest

from tapwright.tasks.errors import BadConfError, BadTaskFileError
from tapwright.tasks.limits import MAX_FILE_BYTES
from tapwright.tasks.templates.confs import read_conf, read_task_file


def conf(directory: Path, data: bytes) -> Path:
    path = directory / "t-a.conf"
    path.write_bytes(data)
    return path


def texts(path: Path) -> dict[str, str]:
    return {name: entry.text for name, entry in read_conf(path).items()}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", {}),
        (b"\n  # note: x\n\nv: 1", {"v": "1"}),
        (b"v:\nw: \n", {"v": "", "w": ""}),
        (b"v: a: b # c\r\nw:  two \r", {"v": "a: b # c", "w": " two"}),
        (b"\xef\xbb\xbfv: 1\n", {"v": "1"}),
        ("标题: 你好\n1st: <b>".encode(), {"标题": "你好", "1st": "<b>"}),
    ],
)
def test_a_conf_file_says(data: bytes, expected: dict[str, str], tmp_path: Path) -> None:
    assert texts(conf(tmp_path, data)) == expected


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"# x\nkey:value", "t-a.conf, line 2: found 'key:value'; expected `identifier: value`"),
        (b"my key: 1", "t-a.conf, line 1: found 'my key: 1'"),
        (b"only words", "t-a.conf, line 1: found 'only words'"),
        (b"v: 1\n\nv: 2", "t-a.conf, line 3: v already has a value: "),
        (b"v: 1\nw: \xff", "t-a.conf, line 2: the byte 0xff is not UTF-8"),
        (b"v: " + b"x" * MAX_FILE_BYTES, "t-a.conf: larger than 4,000,000 bytes"),
    ],
)
def test_a_malformed_conf_file_is_refused_by_line(data: bytes, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadConfError) as caught:
        read_conf(conf(tmp_path, data))
    assert says in str(caught.value)


def test_a_task_file_names_steps_and_their_options(tmp_path: Path) -> None:
    path = tmp_path / "x.task"
    path.write_text("\n# how\nfind-a\nsub/open-b-c  src # all\n\nmy-dir/answer rr\n")
    told: list[str] = []
    lines = read_task_file(path, told.append)
    assert [(line.template, line.conf, "".join(sorted(line.options))) for line in lines] == [
        ("find", "find-a", ""),
        ("sub/open", "sub/open-b-c", "crs"),
        ("my-dir/answer", "", "r"),
    ]
    assert told == []


def test_what_means_nothing_in_a_task_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.task"
    path.write_text("find-a s\nopen-a qs more words")
    told: list[str] = []
    lines = read_task_file(path, told.append)
    assert lines[1].options == {"s"}
    assert [line.partition(": ")[0] for line in told] == [
        f"{path}, line 1",
        f"{path}, line 2",
        f"{path}, line 2",
    ]


@pytest.mark.parametrize("token", ["../a-b", "/etc/a-b", "x/../../a-b", "..\\a-b", "-b", "a\0-b"])
def test_a_step_stays_in_its_directory(token: str, tmp_path: Path) -> None:
    path = tmp_path / "x.task"
    path.write_text(f"ok-1\n{token}\n")
    with pytest.raises(BadTaskFileError, match="line 2"):
        read_task_file(path, lambda _: None)
