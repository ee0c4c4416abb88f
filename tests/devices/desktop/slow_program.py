"""A program with one window that paints itself anew for each key, some time later.

    python slow_program.py HOW WAIT_S WORK_S

`HOW` is when it works: "before" it reads what comes after the key, or "after" it has said that it
has read the key, or by a "timer" from then on. It first waits for WAIT_S, then computes until
WORK_S are over, then paints.
"""

import os
import select
import sys
import time

from Xlib import X
from Xlib.display import Display
from Xlib.protocol.event import ClientMessage

COLORS = (0xFFFFFF, 0x000000)


def main(how: str, wait_s: float, work_s: float) -> None:
    display = Display()
    screen, ping = display.screen(), display.intern_atom("_NET_WM_PING")
    window = screen.root.create_window(
        100, 100, 400, 300, 0, screen.root_depth, background_pixel=COLORS[0],
        event_mask=X.KeyPressMask,
    )  # fmt: skip
    window.set_wm_name("slow")
    window.set_wm_class("slow", "slow")
    window.set_wm_protocols([ping])
    window.change_property(
        display.intern_atom("_NET_WM_PID"), display.intern_atom("CARDINAL"), 32, [os.getpid()]
    )
    window.map()
    display.flush()
    painted = due = 0
    said = False
    while True:
        if due and (how == "before" or said) and not display.pending_events():
            if how == "timer":
                select.poll().poll(1000 * wait_s)
            else:
                time.sleep(wait_s)
            work(work_s)
            painted, due, said = painted + due, 0, False
            window.change_attributes(background_pixel=COLORS[painted % 2])
            window.clear_area(0, 0, 0, 0)
            display.sync()
        if not display.pending_events():
            select.select([display], [], [])
            continue
        event = display.next_event()
        if event.type == X.KeyPress:
            due += 1
        elif event.type == X.ClientMessage and event.data[1][0] == ping:
            answer = ClientMessage(
                window=screen.root, client_type=event.client_type, data=event.data
            )
            mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
            screen.root.send_event(answer, event_mask=mask)
            display.flush()
            said = due > 0


def work(work_s: float) -> None:
    until = time.monotonic() + work_s
    while time.monotonic() < until:
        pass


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
