"""The programs of the phone's shell. To add one: a function in a file here, a line in the table."""

from collections.abc import Mapping

from tapwright_adb_simulator.programs.apps import am, monkey
from tapwright_adb_simulator.programs.dumpsys import dumpsys
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
    settings,
    sleep,
    svc,
    true,
)
from tapwright_adb_simulator.shell import Program

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
