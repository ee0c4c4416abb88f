"""Office documents and settings in a home, without a desktop."""

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tapwright.devices.desktop.documents.sheets import column_name
from tapwright.devices.desktop.documents.views import walk
from tapwright.devices.desktop.machine import HomeFiles
from tapwright.devices.limits import MAX_CELLS, MAX_DOCUMENT_PART, MAX_PARAGRAPHS
from tapwright.errors import DeviceError

TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
LETTERS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1)


@pytest.fixture
def files(tmp_path: Path) -> HomeFiles:
    return HomeFiles(tmp_path)


@pytest.mark.parametrize("suffix", ["ods", "xlsx"])
def test_a_spreadsheet_is_made_of_csv_and_read_by_cells(suffix: str, files: HomeFiles) -> None:
    path = f"files.Documents/a.b.{suffix}"
    files.put(path, 'Item,Cost\nRent,700\n"Tea, green",3.5\nZip,007\n')
    assert files.get(f"{path}.sheets") == ["Sheet1"]
    assert files.get(f"{path}.cells.Sheet1.B2") == 700
    assert files.get(f"{path}.cells.Sheet1") == {
        "A1": "Item", "B1": "Cost", "A2": "Rent", "B2": 700, "A3": "Tea, green", "B3": 3.5,
        "A4": "Zip", "B4": "007",
    }  # fmt: skip
    assert files.get(f"{path}.cells.Sheet1.C9") is None
    assert files.get(f"{path}.cells.Other.A1") is None
    assert files.get(f"{path}.formulas") == {"Sheet1": {}}
    assert files.get(path) is None


@pytest.mark.parametrize("suffix", ["odt", "docx"])
def test_a_text_document_is_made_of_lines_and_read_by_paragraphs(
    suffix: str, files: HomeFiles
) -> None:
    path = f"files.letter.{suffix}"
    files.put(path, "# Plan\nFirst <we> go & see.\n")
    assert files.get(f"{path}.text") == "Plan\nFirst <we> go & see."
    assert files.get(f"{path}.paragraphs.0.style") == "Heading 1"
    assert files.get(f"{path}.paragraphs.1") == {
        "text": "First <we> go & see.", "style": "Default Paragraph Style", "bold": False,
        "italic": False, "align": "left", "list": False,
    }  # fmt: skip
    assert files.get(f"{path}.paragraphs.2") is None


@given(suffix=st.sampled_from(["odt", "docx"]), lines=st.lists(LETTERS, min_size=1, max_size=4))
def test_what_lines_make_reads_the_same(
    suffix: str, lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = HomeFiles(tmp_path_factory.mktemp("home"))
    files.put(f"files.a.{suffix}", "\n".join(lines))
    assert files.get(f"files.a.{suffix}.text") == "\n".join(lines)


@pytest.mark.parametrize("suffix", ["ods", "xlsx", "odt", "docx"])
def test_a_document_is_the_same_each_time(suffix: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        HomeFiles(tmp_path).put(f"files.{name}.{suffix}", "a,1\n")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_settings_are_read_by_group_and_key(files: HomeFiles) -> None:
    files.put(
        "files..config/app.ini",
        "top=1\n[org/app/view]\nline-numbers=true\nscheme='dark'\nwidth=80\n# no\nbad\nx=1.2.3\n",
    )
    settings = "files..config/app.ini.settings"
    assert files.get(f"{settings}.org/app/view.line-numbers") is True
    assert files.get(f"{settings}.org/app/view.scheme") == "dark"
    assert files.get(settings) == {
        "": {"top": 1},
        "org/app/view": {"line-numbers": True, "scheme": "dark", "width": 80, "x": "1.2.3"},
    }


def test_the_text_of_a_file_does_not_end_in_ends_of_lines(files: HomeFiles) -> None:
    files.put("files.list.txt", "milk\r\nbread\n\n")
    assert files.get("files.list.txt.text") == "milk\nbread"


def test_a_file_whose_name_ends_as_a_view_is_a_file(files: HomeFiles) -> None:
    files.put("files.list.txt", "milk")
    files.put("files.list.txt.text", "another")
    assert files.get("files.list.txt.text") == "another"


def test_an_empty_folder_is_made_of_nothing(files: HomeFiles) -> None:
    files.put("files.Pictures/2026", {})
    assert files.get("files.Pictures") == ["2026"]
    with pytest.raises(DeviceError, match="no state"):
        files.put("files.Pictures/2027", {"a": 1})


@pytest.mark.parametrize(
    ("path", "found"),
    [("", {"a.b": [10, 20]}), ("a.b", [10, 20]), ("a.b.1", 20), ("a.b.2", None), ("a", None),
     ("a.b.x", None), ("a.b.1.c", None)],
)  # fmt: skip
def test_keys_may_have_dots(path: str, found: JsonValue) -> None:
    assert walk({"a.b": [10, 20]}, path) == found


def test_columns_are_named_as_spreadsheets_do() -> None:
    names = {0: "A", 25: "Z", 26: "AA", 51: "AZ", 701: "ZZ", 702: "AAA", 1023: "AMJ"}
    assert {number: column_name(number) for number in names} == names


def archive(parts: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, part in parts.items():
            opened.writestr(name, part)
    return data.getvalue()


def sheet(rows: str) -> bytes:
    return (
        f'<d xmlns:o="{OFFICE}" xmlns:t="{TABLE}" xmlns:x="{TEXT}"><t:table t:name="Sheet1">'
        f"{rows}</t:table></d>"
    ).encode()


FULL = '<t:table-cell o:value-type="float" o:value="1"/>'
ENTITIES = (
    b'<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY s SYSTEM "file:///etc/hostname">]>'
)
HOSTILE = {
    "no archive": b"hello",
    "cut": archive({"content.xml": sheet(f"<t:table-row>{FULL}</t:table-row>")})[:90],
    "no content": archive({"other.xml": b"<a/>"}),
    "no XML": archive({"content.xml": b"<a><b></a>"}),
    "a bomb": archive({"content.xml": b" " * (MAX_DOCUMENT_PART + 1)}),
    "too many rows": archive(
        {"content.xml": sheet(f'<t:table-row t:number-rows-repeated="{MAX_CELLS + 1}">{FULL}'
                              "</t:table-row>")}
    ),
    "too many columns": archive(
        {"content.xml": sheet("<t:table-row>" + FULL.replace(
            "<t:table-cell", f'<t:table-cell t:number-columns-repeated="{MAX_CELLS + 1}"'
        ) + "</t:table-row>")}
    ),
}  # fmt: skip


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_spreadsheet_that_is_damaged_or_too_large_has_no_cells(
    data: bytes, tmp_path: Path
) -> None:
    (tmp_path / "a.ods").write_bytes(data)
    assert HomeFiles(tmp_path).get("files.a.ods.cells") is None


def test_entities_are_not_resolved(tmp_path: Path) -> None:
    cell = '<t:table-cell o:value-type="string"><x:p>&s;&c;!</x:p></t:table-cell>'
    content = ENTITIES + sheet(f"<t:table-row>{cell}</t:table-row>")
    (tmp_path / "a.ods").write_bytes(archive({"content.xml": content}))
    read = HomeFiles(tmp_path).get("files.a.ods.cells.Sheet1.A1")
    assert read is None or (isinstance(read, str) and "ha" not in read and len(read) < 20)


def test_empty_rows_without_end_cost_nothing(tmp_path: Path) -> None:
    rows = '<t:table-row t:number-rows-repeated="1048575"><t:table-cell/></t:table-row>'
    last = f"<t:table-row>{FULL}</t:table-row>"
    (tmp_path / "a.ods").write_bytes(archive({"content.xml": sheet(rows + last)}))
    assert HomeFiles(tmp_path).get("files.a.ods.cells") == {"Sheet1": {"A1048576": 1}}


def test_too_many_paragraphs_are_not_read(files: HomeFiles) -> None:
    files.put("files.a.odt", "x\n" * (MAX_PARAGRAPHS + 1))
    assert files.get("files.a.odt.text") is None


def test_a_document_outside_of_the_home_is_not_read(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    HomeFiles(tmp_path).put("files.a.ods", "a,1\n")
    (home / "link.ods").symlink_to(tmp_path / "a.ods")
    assert HomeFiles(home).get("files.link.ods.cells") is None
    assert HomeFiles(home).get("files.../a.ods.cells") is None
