"""What the way over adb costs, and how fast phones are listed: `python bench/bench_adb.py`.

The built-in phone is acted on and looked at directly, then over adb: our device, the real `adb`'s
server, and the phone of `tapwright_adb_simulator`. The overhead is the difference of the medians,
of rounds that take turns, so that a busy machine slows both down alike. With `adbutils`
installed, its shell is timed beside ours.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from statistics import median

from tapwright.core.actions import Tap
from tapwright.core.geometry import Point
from tapwright.devices.adb.client import AdbClient
from tapwright.devices.adb.device import AndroidPhone
from tapwright.devices.adb.health import PhoneHealth, check_phones
from tapwright.devices.adb.shell import PhoneShell
from tapwright.devices.fake import FakeDevice
from tapwright.devices.phone.device import Phone
from tapwright_adb_simulator import AdbPhone, AdbServer

TAP = Tap(at=Point(0.5, 0.02))


def took_ms(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000


def overheads(rounds: int, argument: str) -> dict[str, float]:
    """Medians in milliseconds: direct, over adb, and what adb adds."""
    with Phone.named(argument) as inner, AdbServer() as server, AdbPhone(inner) as wired:
        shell = PhoneShell(AdbClient(port=server.port), server.connect(wired.address))
        with AndroidPhone(shell) as phone:
            phone.reset()
            calls: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
                "tap": (lambda: inner.perform(TAP), lambda: phone.perform(TAP)),
                "observe": (inner.observe, phone.observe),
            }
            found = {"shell, an empty program": median(took_ms(echo(shell)) for _ in range(rounds))}
            for name, (directly, over) in calls.items():
                times: tuple[list[float], list[float]] = ([], [])
                for _ in range(rounds):
                    with wired.held():
                        times[0].append(took_ms(directly))
                    # A look is kept for a moment; an act ends it, so that each look is a new one.
                    phone.perform(TAP)
                    times[1].append(took_ms(over))
                found[f"{name}, directly"] = median(times[0])
                found[f"{name}, over adb"] = median(times[1])
                found[f"{name}, overhead"] = median(times[1]) - median(times[0])
            if find_spec("adbutils"):
                theirs = import_module("adbutils").AdbClient(port=server.port).device(shell.serial)
                found["adbutils: shell, an empty program"] = median(
                    took_ms(lambda: theirs.shell("true")) for _ in range(rounds)
                )
            return found


def echo(shell: PhoneShell) -> Callable[[], object]:
    return lambda: shell.run("true")


def listing(count: int) -> float:
    """Milliseconds in which `count` phones are asked how they are."""
    with AdbServer() as server, ExitStack() as stack:
        for _ in range(count):
            phone = stack.enter_context(AdbPhone(FakeDevice()))
            server.connect(phone.address)
        client = AdbClient(port=server.port)
        seen: list[PhoneHealth] = []
        spent = took_ms(lambda: seen.extend(check_phones(client)))
        ready = sum(one.ready for one in seen)
        if ready != count:
            raise SystemExit(f"{ready} of {count} phones answered")
        return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--phones", type=int, default=50)
    options = parser.parse_args()
    rows = {
        "load": os.getloadavg()[0],
        **{f"PNG 1080x2400: {k}": v for k, v in overheads(options.rounds, "").items()},
        f"{options.phones} phones listed": listing(options.phones),
    }
    print(json.dumps({name: round(value, 2) for name, value in rows.items()}, indent=2))


if __name__ == "__main__":
    main()
