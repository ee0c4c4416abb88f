"""An application of any number of elements, run as a program: `crowd.py COUNT`; with 0, no tree.

It has a real window, and tells of itself over the accessibility bus what it likes: a frame in the
place of that window, and in it COUNT labels.
"""

import asyncio
import os
import sys
from typing import Any

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from Xlib import X
from Xlib.display import Display

ROOT = "/org/a11y/atspi/accessible/root"
FRAME = "/org/a11y/atspi/accessible/frame"
LABEL = "/org/a11y/atspi/accessible/label"
SHOWING = [1 << 25 | 1 << 24, 0]
WIDTH, HEIGHT = 400, 300


def open_window() -> Display:
    display = Display()
    screen = display.screen()
    window = screen.root.create_window(
        20, 20, WIDTH, HEIGHT, 0, X.CopyFromParent, background_pixel=screen.white_pixel
    )
    window.set_wm_name("Crowd")
    window.set_wm_class("crowd", "Crowd")
    window.map()
    display.sync()
    return display


class Crowd:
    def __init__(self, bus: MessageBus, display: Display, count: int) -> None:
        self.bus = bus
        self.display = display
        self.count = count

    def answer(self, message: Message) -> bool:
        if message.message_type is not MessageType.METHOD_CALL:
            return False
        signature, value = self.value(message)
        if signature:
            self.bus.send(Message.new_method_return(message, signature, [value]))
        else:
            self.bus.send(Message.new_error(message, "org.crowd.No", "no"))
        return True

    def value(self, message: Message) -> tuple[str, Any]:
        name, path = self.bus.unique_name, message.path
        match message.member:
            case "GetChildren":
                children = {ROOT: [FRAME], FRAME: [f"{LABEL}{n}" for n in range(self.count)]}
                return "a(so)", [[name, child] for child in children.get(str(path), [])]
            case "GetState":
                return "au", SHOWING
            case "GetRole":
                return "u", 23 if path == FRAME else 29
            case "GetExtents":
                return "(iiii)", self.extents(str(path))
            case "Get" if message.body[1] == "Name":
                return "v", Variant("s", "Crowd" if path == FRAME else str(path)[len(LABEL) :])
        return "", None

    def extents(self, path: str) -> list[int]:
        top = self.display.screen().root.query_tree().children[-1].get_geometry()
        if path == FRAME:
            return [top.x, top.y, top.width, top.height]
        return [top.x + 10, top.y + 40, 50, 20]


async def main(count: int) -> None:
    display = open_window()
    if count:
        bus = await MessageBus(bus_address=os.environ["AT_SPI_BUS_ADDRESS"]).connect()
        bus.add_message_handler(Crowd(bus, display, count).answer)
        await bus.call(
            Message(
                destination="org.a11y.atspi.Registry", path=ROOT, interface="org.a11y.atspi.Socket",
                member="Embed", signature="(so)", body=[[bus.unique_name, ROOT]],
            )
        )  # fmt: skip
    await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
