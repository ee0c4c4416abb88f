"""The programs of the phone's shell. To add one: a function in a file here, a line in the table."""

from collections.abc import Mapping

from tapwright.testing.adb.programs.apps import am, monkey
from tapwright.testing.adb.programs.dumpsys import dumpsys
from tapwright.testing.adb.programs.files import cat, echo, grep, head, ls, mkdir, rm, tail, wc
from tapwright.testing.adb.programs.input import input_
from tapwright.testing.adb.programs.logcat import logcat
from tapwright.testing.adb.programs.packages import cmd, pm
from tapwright.testing.adb.programs.runtime import env
from tapwright.testing.adb.programs.screen import screencap, uiautomator, wm
from tapwright.testing.adb.programs.system import (
    date,
    false,
    getprop,
    id_,
    ime,
    settings,
    sleep,
    svc,
    true,
)
from tapwright.testing.adb.shell import Program

PROGRAMS: Mapping[str, Program] = {
    "am": am,
    "cat": cat,
    "cmd": cmd,
    "date": date,
    "dumpsys": dumpsys,
    "echo": echo,
    "env": env,
    "false": false,
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
    "pm": pm,
    "rm": rm,
    "screencap": screencap,
    "settings": settings,
    "sleep": sleep,
    "svc": svc,
    "tail": tail,
    "true": true,
    "uiautomator": uiautomator,
    "wc": wc,
    "wm": wm,
}
