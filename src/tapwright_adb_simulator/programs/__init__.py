"""The programs of the phone's shell. To add one: a function in a file here, a line in the table."""

from collections.abc import Mapping

from tapwright_adb_simulator.programs.apps import am, monkey
from tapwright_adb_simulator.programs.databases import content, sqlite3_
from tapwright_adb_simulator.programs.dumpsys import dumpsys
from tapwright_adb_simulator.programs.file_changes import chmod, cp, find, mv, test, touch
from tapwright_adb_simulator.programs.files import cat, echo, grep, head, ls, mkdir, rm, tail, wc
from tapwright_adb_simulator.programs.input import input_
from tapwright_adb_simulator.programs.logcat import logcat
from tapwright_adb_simulator.programs.packages import cmd, pm
from tapwright_adb_simulator.programs.runtime import env
from tapwright_adb_simulator.programs.screen import screencap, uiautomator, wm
from tapwright_adb_simulator.programs.system import (
    date,
    false,
    getprop,
    id_,
    ime,
    service,
    settings,
    sleep,
    svc,
    true,
    whoami,
)
from tapwright_adb_simulator.shell import Program

PROGRAMS: Mapping[str, Program] = {
    "[": test,
    "am": am,
    "cat": cat,
    "chmod": chmod,
    "chown": chmod,
    "cmd": cmd,
    "content": content,
    "cp": cp,
    "date": date,
    "dumpsys": dumpsys,
    "echo": echo,
    "env": env,
    "false": false,
    "find": find,
    "getprop": getprop,
    "grep": grep,
    "head": head,
    "id": id_,
    "ime": ime,
    "input": input_,
    "logcat": logcat,
    "ls": ls,
    "mkdir": mkdir,
    "monkey": monkey,
    "mv": mv,
    "pm": pm,
    "restorecon": chmod,
    "rm": rm,
    "screencap": screencap,
    "service": service,
    "settings": settings,
    "sleep": sleep,
    "sqlite3": sqlite3_,
    "svc": svc,
    "tail": tail,
    "test": test,
    "touch": touch,
    "true": true,
    "uiautomator": uiautomator,
    "wc": wc,
    "whoami": whoami,
    "wm": wm,
}
