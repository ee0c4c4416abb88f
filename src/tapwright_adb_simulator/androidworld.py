"""What a phone has that was set up for AndroidWorld: its apps, folders, and the apps' databases.

Names, paths and columns are those that https://github.com/google-research/android_world (d9c569f)
reads: `env/adb_utils.py`, `env/device_constants.py`, `task_evals/utils/sqlite_schema_utils.py`. The
apps show nothing: who plays here changes what they would store.
"""

import sqlite3
from collections.abc import Mapping
from contextlib import closing

from tapwright_adb_simulator.android import Android
from tapwright_adb_simulator.programs.databases import CONTACTS, SMS, open_database
from tapwright_adb_simulator.storage import Storage

__all__ = ["APPS", "DATABASES", "set_up_for_androidworld"]

APPS: Mapping[str, str] = {
    "ca.zgrs.clipper": "Clipper",
    "code.name.monkey.retromusic": "Retro Music",
    "com.android.camera2": "Camera",
    "com.android.chrome": "Chrome",
    "com.android.providers.contacts": "Contacts Storage",
    "com.android.settings": "Settings",
    "com.arduia.expense": "Pro Expense",
    "com.dimowner.audiorecorder": "Audio Recorder",
    "com.flauschcode.broccoli": "Broccoli",
    "com.google.android.contacts": "Contacts",
    "com.google.android.deskclock": "Clock",
    "com.google.android.dialer": "Phone",
    "com.google.android.documentsui": "Files",
    "com.simplemobiletools.calendar.pro": "Simple Calendar Pro",
    "com.simplemobiletools.draw.pro": "Simple Draw Pro",
    "com.simplemobiletools.gallery.pro": "Simple Gallery Pro",
    "com.simplemobiletools.smsmessenger": "Simple SMS Messenger",
    "de.dennisguse.opentracks": "OpenTracks",
    "net.cozic.joplin": "Joplin",
    "net.gsantner.markor": "Markor",
    "net.osmand": "OsmAnd",
    "org.tasks": "Tasks",
    "org.videolan.vlc": "VLC",
}
"""By package."""

_FOLDERS = (
    "/data/data/android_world/snapshots",
    "/sdcard/Android/data/com.dimowner.audiorecorder/files/Music/records",
    "/sdcard/Android/data/net.osmand/files/favorites",
    "/sdcard/Android/data/net.osmand/files/tracks",
    "/sdcard/Documents/Markor",
    "/sdcard/Movies",
    "/sdcard/Music",
    "/sdcard/VLCVideos",
)

DATABASES: Mapping[str, str] = {
    "/data/data/com.arduia.expense/databases/accounting.db": """
        CREATE TABLE expense (expense_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT,
            amount INTEGER, category INTEGER, note TEXT, created_date INTEGER,
            modified_date INTEGER);""",
    "/data/data/com.flauschcode.broccoli/databases/broccoli": """
        CREATE TABLE recipes (recipeId INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT,
            description TEXT, servings TEXT, preparationTime TEXT, source TEXT, ingredients TEXT,
            directions TEXT, favorite INTEGER, imageName TEXT);""",
    "/data/data/com.simplemobiletools.calendar.pro/databases/events.db": """
        CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, start_ts INTEGER,
            end_ts INTEGER, title TEXT, location TEXT, description TEXT,
            reminder_1_minutes INTEGER, reminder_2_minutes INTEGER, reminder_3_minutes INTEGER,
            reminder_1_type INTEGER, reminder_2_type INTEGER, reminder_3_type INTEGER,
            repeat_interval INTEGER, repeat_rule INTEGER, repeat_limit INTEGER,
            repetition_exceptions TEXT, attendees TEXT, import_id TEXT, time_zone TEXT,
            flags INTEGER, event_type INTEGER, parent_id INTEGER, last_updated INTEGER,
            source TEXT, availability INTEGER, color INTEGER, type INTEGER);""",
    "/data/data/org.tasks/databases/database": """
        CREATE TABLE tasks (_id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT,
            importance INTEGER, dueDate INTEGER, hideUntil INTEGER, created INTEGER,
            modified INTEGER, completed INTEGER, deleted INTEGER, notes TEXT,
            estimatedSeconds INTEGER, elapsedSeconds INTEGER, timerStart INTEGER,
            notificationFlags INTEGER, lastNotified INTEGER, recurrence TEXT,
            repeat_from INTEGER, calendarUri TEXT, remoteId TEXT, collapsed INTEGER,
            parent INTEGER, "order" INTEGER, read_only INTEGER);""",
    "/data/data/de.dennisguse.opentracks/databases/database.db": """
        CREATE TABLE tracks (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, description TEXT,
            category TEXT, activity_type TEXT, starttime INTEGER, stoptime INTEGER,
            numpoints INTEGER, totaldistance FLOAT, totaltime INTEGER, movingtime INTEGER,
            avgspeed FLOAT, avgmovingspeed FLOAT, maxspeed FLOAT, minelevation FLOAT,
            maxelevation FLOAT, elevationgain FLOAT, icon TEXT, uuid BLOB, elevationloss FLOAT,
            starttime_offset INTEGER);""",
    "/data/data/net.cozic.joplin/databases/joplin.sqlite": """
        CREATE TABLE folders (id TEXT PRIMARY KEY, title TEXT, created_time INT,
            updated_time INT, user_created_time INT, user_updated_time INT, deleted_time INT,
            encryption_cipher_text TEXT, encryption_applied INT, parent_id TEXT, is_shared INT,
            share_id TEXT, master_key_id TEXT, icon TEXT, user_data TEXT);
        CREATE TABLE notes (id TEXT PRIMARY KEY, parent_id TEXT, title TEXT, body TEXT,
            created_time INT, updated_time INT, is_conflict INT, latitude NUMERIC,
            longitude NUMERIC, altitude NUMERIC, author TEXT, source_url TEXT, is_todo INT,
            todo_due INT, todo_completed INT, source TEXT, source_application TEXT,
            application_data TEXT, "order" NUMERIC, user_created_time INT,
            user_updated_time INT, encryption_cipher_text TEXT, encryption_applied INT,
            markup_language INT, is_shared INT, share_id TEXT, conflict_original_id TEXT,
            master_key_id TEXT, user_data TEXT);
        CREATE TABLE notes_normalized (id TEXT, title TEXT, body TEXT, user_created_time INT,
            user_updated_time INT, is_todo INT, todo_completed INT, parent_id TEXT,
            latitude NUMERIC, longitude NUMERIC, altitude NUMERIC, source_url TEXT,
            todo_due INT);""",
    "/data/data/code.name.monkey.retromusic/databases/playlist.db": """
        CREATE TABLE PlaylistEntity (playlist_id INTEGER PRIMARY KEY AUTOINCREMENT,
            playlist_name TEXT);
        CREATE TABLE SongEntity (song_key INTEGER PRIMARY KEY AUTOINCREMENT,
            playlist_creator_id INTEGER, title TEXT, duration INTEGER);""",
    "/data/data/code.name.monkey.retromusic/databases/music_playback_state.db": """
        CREATE TABLE playing_queue (_id INTEGER PRIMARY KEY, title TEXT);""",
    "/data/data/org.videolan.vlc/app_db/vlc_media.db": """
        CREATE TABLE Playlist (id_playlist INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
        CREATE TABLE Media (id_media INTEGER PRIMARY KEY AUTOINCREMENT, filename TEXT UNIQUE);
        CREATE TABLE PlaylistMediaRelation (media_id INTEGER, playlist_id INTEGER,
            position INTEGER);""",
}
"""The tables of each database, by its path."""


def set_up_for_androidworld(android: Android, storage: Storage) -> None:
    """Install the apps with their empty databases, and let the shell be root's."""
    android.root = True
    android.others.update(APPS)
    for folder in _FOLDERS:
        storage.make_folder(folder)
    for path, schema in DATABASES.items():
        with closing(sqlite3.connect(":memory:")) as database:
            database.executescript(schema)
            storage.write(path, database.serialize())
    for path in (SMS, CONTACTS):
        with closing(open_database(storage, path)) as database:
            storage.write(path, database.serialize())
