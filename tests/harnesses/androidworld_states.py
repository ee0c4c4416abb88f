"""What a phone holds after each of AndroidWorld's tasks was done right, as far as its double can.

Each function gets the phone and the task's parameters, and returns the answer to the user.
"""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any, TypeAlias

from tapwright_adb_simulator import AdbPhone
from tapwright_adb_simulator.programs.databases import (
    CONTACTS,
    SMS,
    keep_database,
    open_database,
)

__all__ = ["SOLUTIONS", "Solution"]

Params: TypeAlias = Mapping[str, Any]
Solution: TypeAlias = Callable[[AdbPhone, Params], str]

EXPENSES = ("/data/data/com.arduia.expense/databases/accounting.db", "expense", "expense_id")
RECIPES = ("/data/data/com.flauschcode.broccoli/databases/broccoli", "recipes", "recipeId")
EVENTS = ("/data/data/com.simplemobiletools.calendar.pro/databases/events.db", "events", "id")
VLC = "/data/data/org.videolan.vlc/app_db/vlc_media.db"
MARKOR = "/sdcard/Documents/Markor"
RECORDS = "/sdcard/Android/data/com.dimowner.audiorecorder/files/Music/records"

Table: TypeAlias = tuple[str, str, str]


def change(phone: AdbPhone, path: str, work: Callable[[sqlite3.Connection], object]) -> None:
    with closing(open_database(phone.storage, path)) as database:
        work(database)
        database.commit()
        keep_database(phone.storage, path, database)


def add(table: Table) -> Solution:
    path, name, key = table

    def solve(phone: AdbPhone, params: Params) -> str:
        def work(database: sqlite3.Connection) -> None:
            for row in params["row_objects"]:
                values = {column: value for column, value in row.items() if column != key}
                columns = ", ".join(values)
                marks = ", ".join("?" * len(values))
                database.execute(
                    f"INSERT INTO {name} ({columns}) VALUES ({marks})", list(values.values())
                )

        change(phone, path, work)
        return ""

    return solve


def delete(table: Table, label: str) -> Solution:
    path, name, _ = table

    def solve(phone: AdbPhone, params: Params) -> str:
        def work(database: sqlite3.Connection) -> None:
            for row in params["row_objects"]:
                database.execute(f"DELETE FROM {name} WHERE {label} = ?", [row[label]])

        change(phone, path, work)
        return ""

    return solve


def delete_duplicates(table: Table) -> Solution:
    path, name, key = table

    def solve(phone: AdbPhone, _: Params) -> str:
        def work(database: sqlite3.Connection) -> None:
            told = database.execute(f"PRAGMA table_info({name})").fetchall()
            columns = ", ".join(column[1] for column in told if column[1] != key)
            database.execute(
                f"DELETE FROM {name} WHERE {key} NOT IN "
                f"(SELECT MIN({key}) FROM {name} GROUP BY {columns})"
            )

        change(phone, path, work)
        return ""

    return solve


def put(space: str, name: str, value: str) -> Solution:
    def solve(phone: AdbPhone, _: Params) -> str:
        phone.android.set(space, name, value)
        return ""

    return solve


def write(path: str, content: str = "") -> Solution:
    def solve(phone: AdbPhone, params: Params) -> str:
        data = content.format(**params).encode()
        phone.storage.write(path.format(**params), data, time_s=phone.android.now_s)
        return ""

    return solve


def remove(path: str) -> Solution:
    def solve(phone: AdbPhone, params: Params) -> str:
        phone.storage.remove(path.format(**params))
        return ""

    return solve


def move(source: str, target: str) -> Solution:
    def solve(phone: AdbPhone, params: Params) -> str:
        data = phone.storage.read(source.format(**params))
        phone.storage.write(target.format(**params), data)
        phone.storage.remove(source.format(**params))
        return ""

    return solve


def copy(source: str, target: str) -> Solution:
    def solve(phone: AdbPhone, params: Params) -> str:
        phone.storage.write(target.format(**params), phone.storage.read(source.format(**params)))
        return ""

    return solve


def send(number: str, message: str) -> Solution:
    def solve(phone: AdbPhone, params: Params) -> str:
        told = (number.format(**params), message.format(**params), 1000 * phone.android.now_s)
        change(
            phone,
            SMS,
            lambda database: database.execute(
                "INSERT INTO sms (address, body, date, type) VALUES (?, ?, ?, 2)", told
            ),
        )
        phone.open("com.simplemobiletools.smsmessenger/.activities.ThreadActivity")
        return ""

    return solve


def answer(text: str) -> Solution:
    return lambda _, params: text.format(**params)


def all_of(*parts: Solution) -> Solution:
    def solve(phone: AdbPhone, params: Params) -> str:
        return "".join([part(phone, params) for part in parts])

    return solve


def open_app(app: str) -> Solution:
    components = {
        "contacts": "com.google.android.contacts/com.android.contacts.activities.PeopleActivity",
        "settings": "com.android.settings/.Settings",
    }

    def solve(phone: AdbPhone, params: Params) -> str:
        phone.open(components[app.format(**params)])
        return ""

    return solve


def add_contact(phone: AdbPhone, params: Params) -> str:
    told = (params["name"], params["number"])
    change(
        phone,
        CONTACTS,
        lambda database: database.execute(
            "INSERT INTO phones (display_name, number) VALUES (?, ?)", told
        ),
    )
    return ""


def copy_text(phone: AdbPhone, params: Params) -> str:
    phone.android.clipboard = params["clipboard_content"]
    return ""


def add_note_header(phone: AdbPhone, params: Params) -> str:
    old = f"{MARKOR}/{params['original_name']}"
    content = phone.storage.read(old).decode()
    phone.storage.remove(old)
    text = f"{params['header']}\n\n{content}"
    phone.storage.write(f"{MARKOR}/{params['new_name']}", text.encode())
    return ""


def edit_note(phone: AdbPhone, params: Params) -> str:
    path = f"{MARKOR}/{params['file_name']}"
    content = phone.storage.read(path).decode()
    match params["edit_type"]:
        case "header":
            content = f"{params['header']}\n{content}"
        case "footer":
            content = f"{content}\n{params['footer']}"
        case _:
            content = params["replace_text"]
    phone.storage.write(path, content.encode())
    return ""


def delete_notes(phone: AdbPhone, _: Params) -> str:
    for name, _node in list(phone.storage.list(MARKOR)):
        phone.storage.remove(f"{MARKOR}/{name}", folders=True)
    return ""


def delete_newest_note(phone: AdbPhone, _: Params) -> str:
    newest = max(phone.storage.list(MARKOR), key=lambda entry: entry[1].time_s)[0]
    phone.storage.remove(f"{MARKOR}/{newest}")
    return ""


def make_folder(phone: AdbPhone, params: Params) -> str:
    phone.storage.make_folder(f"{MARKOR}/{params['folder_name']}")
    return ""


def make_playlists(phone: AdbPhone, playlists: Iterable[tuple[str, Iterable[str]]]) -> None:
    def work(database: sqlite3.Connection) -> None:
        for name, files in playlists:
            playlist = database.execute("INSERT INTO Playlist (name) VALUES (?)", [name]).lastrowid
            for position, file in enumerate(files):
                media = database.execute("INSERT INTO Media (filename) VALUES (?)", [file])
                database.execute(
                    "INSERT INTO PlaylistMediaRelation VALUES (?, ?, ?)",
                    [media.lastrowid, playlist, position],
                )

    change(phone, VLC, work)


def make_playlist(phone: AdbPhone, params: Params) -> str:
    make_playlists(phone, [(params["playlist_name"], params["files"])])
    return ""


def make_two_playlists(phone: AdbPhone, params: Params) -> str:
    make_playlists(phone, [(params[f"playlist_name{n}"], params[f"files{n}"]) for n in (1, 2)])
    return ""


SOLUTIONS: Mapping[str, Solution] = {
    "AudioRecorderRecordAudio": write(f"{RECORDS}/Record-1.m4a", "sound"),
    "AudioRecorderRecordAudioWithFileName": write(RECORDS + "/{file_name}.m4a", "sound"),
    "CameraTakePhoto": write("/sdcard/Pictures/IMG_1.jpg", "picture"),
    "CameraTakeVideo": write("/sdcard/Movies/VID_1.mp4", "film"),
    "ContactsAddContact": add_contact,
    "ExpenseAddMultiple": add(EXPENSES),
    "ExpenseAddMultipleFromGallery": add(EXPENSES),
    "ExpenseAddMultipleFromMarkor": add(EXPENSES),
    "ExpenseAddSingle": add(EXPENSES),
    "ExpenseDeleteDuplicates": delete_duplicates(EXPENSES),
    "ExpenseDeleteDuplicates2": delete_duplicates(EXPENSES),
    "ExpenseDeleteMultiple": delete(EXPENSES, "name"),
    "ExpenseDeleteMultiple2": delete(EXPENSES, "name"),
    "ExpenseDeleteSingle": delete(EXPENSES, "name"),
    "FilesDeleteFile": remove("/sdcard/{subfolder}/{file_name}"),
    "FilesMoveFile": move(
        "/sdcard/{source_folder}/{file_name}", "/sdcard/{destination_folder}/{file_name}"
    ),
    "MarkorAddNoteHeader": add_note_header,
    "MarkorChangeNoteContent": all_of(
        remove(MARKOR + "/{original_name}"), write(MARKOR + "/{new_name}", "{updated_content}")
    ),
    "MarkorCreateFolder": make_folder,
    "MarkorCreateNote": write(MARKOR + "/{file_name}", "{text}"),
    "MarkorCreateNoteAndSms": all_of(
        write(MARKOR + "/{file_name}", "{text}"), send("{number}", "{text}")
    ),
    "MarkorCreateNoteFromClipboard": write(MARKOR + "/{file_name}", "{file_content}"),
    "MarkorDeleteAllNotes": delete_notes,
    "MarkorDeleteNewestNote": delete_newest_note,
    "MarkorDeleteNote": remove(MARKOR + "/{file_name}"),
    "MarkorEditNote": edit_note,
    "MarkorMergeNotes": write(
        MARKOR + "/{new_file_name}", "{file1_content}\n\n{file2_content}\n\n{file3_content}"
    ),
    "MarkorMoveNote": move(
        MARKOR + "/{source_folder}/{file_name}", MARKOR + "/{destination_folder}/{file_name}"
    ),
    "MarkorTranscribeReceipt": write(MARKOR + "/{file_name}", "{text}"),
    "MarkorTranscribeVideo": write(MARKOR + "/{file_name}", "{text}"),
    "NotesIsTodo": answer("{is_todo}"),
    "NotesMeetingAttendeeCount": answer("{attendee_count}"),
    "NotesRecipeIngredientCount": answer("{ingredient_quantity}"),
    "OpenAppTaskEval": open_app("{app_name}"),
    "RecipeAddMultipleRecipes": add(RECIPES),
    "RecipeAddMultipleRecipesFromImage": add(RECIPES),
    "RecipeAddMultipleRecipesFromMarkor": add(RECIPES),
    "RecipeAddMultipleRecipesFromMarkor2": add(RECIPES),
    "RecipeAddSingleRecipe": add(RECIPES),
    "RecipeDeleteDuplicateRecipes": delete_duplicates(RECIPES),
    "RecipeDeleteDuplicateRecipes2": delete_duplicates(RECIPES),
    "RecipeDeleteDuplicateRecipes3": delete_duplicates(RECIPES),
    "RecipeDeleteMultipleRecipes": delete(RECIPES, "title"),
    "RecipeDeleteMultipleRecipesWithNoise": delete(RECIPES, "title"),
    "RecipeDeleteSingleRecipe": delete(RECIPES, "title"),
    "RecipeDeleteSingleWithRecipeWithNoise": delete(RECIPES, "title"),
    "SaveCopyOfReceiptTaskEval": copy("/sdcard/DCIM/{file_name}", "/sdcard/Download/{file_name}"),
    "SimpleCalendarAddOneEvent": add(EVENTS),
    "SimpleCalendarAddOneEventInTwoWeeks": add(EVENTS),
    "SimpleCalendarAddOneEventRelativeDay": add(EVENTS),
    "SimpleCalendarAddOneEventTomorrow": add(EVENTS),
    "SimpleCalendarAddRepeatingEvent": add(EVENTS),
    "SimpleCalendarDeleteEvents": delete(EVENTS, "start_ts"),
    "SimpleCalendarDeleteEventsOnRelativeDay": delete(EVENTS, "start_ts"),
    "SimpleCalendarDeleteOneEvent": delete(EVENTS, "start_ts"),
    "SimpleCalendarEventOnDateAtTime": answer("{title}"),
    "SimpleCalendarEventsInTimeRange": answer("{title}"),
    "SimpleCalendarEventsOnDate": answer("{title}"),
    "SimpleCalendarFirstEventAfterStartTime": answer("{title}"),
    "SimpleCalendarLocationOfEvent": answer("{location}"),
    "SimpleCalendarNextEvent": answer("{title}"),
    "SimpleDrawProCreateDrawing": write("/sdcard/Pictures/{file_name}", "drawing"),
    "SimpleSmsSend": send("{number}", "{message}"),
    "SimpleSmsSendClipboardContent": send("{number}", "{message}"),
    "SportsTrackerActivityDuration": answer("{duration}"),
    "SystemBluetoothTurnOff": put("global", "bluetooth_on", "0"),
    "SystemBluetoothTurnOn": put("global", "bluetooth_on", "1"),
    "SystemBrightnessMax": put("system", "screen_brightness", "255"),
    "SystemBrightnessMin": put("system", "screen_brightness", "1"),
    "SystemCopyToClipboard": copy_text,
    "SystemWifiTurnOff": put("global", "wifi_on", "0"),
    "SystemWifiTurnOn": put("global", "wifi_on", "1"),
    "TasksHighPriorityTasks": answer("{task_title}"),
    "TasksHighPriorityTasksDueOnDate": answer("{title}"),
    "TurnOffWifiAndTurnOnBluetooth": all_of(
        put("global", "wifi_on", "0"), put("global", "bluetooth_on", "1")
    ),
    "TurnOnWifiAndOpenApp": all_of(put("global", "wifi_on", "1"), open_app("{app_name}")),
    "VlcCreatePlaylist": make_playlist,
    "VlcCreateTwoPlaylists": make_two_playlists,
}
