"""The recording room's addresses: devices, tasks, sessions, and the two sockets of a session."""

import asyncio
import json
from contextlib import suppress
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tapwright.errors import MissingExtraError
from tapwright.tasks.task import Task
from tapwright.web.asked import body_as, number_of, value_of
from tapwright.web.assignments import ItemNumber
from tapwright.web.auth import ApiRoute, SocketRoute, user
from tapwright.web.errors import BadMessageError, RequestError
from tapwright.web.recording.elements import elements
from tapwright.web.recording.feed import Feed
from tapwright.web.recording.messages import Finger, Hello, Strokes, asked, key_of, told_failure
from tapwright.web.recording.recorder import Recorder
from tapwright.web.recording.session import Session, Tab

__all__ = ["routes"]

_MAX_TASKS = 500


class _Begin(BaseModel):
    model_config = ConfigDict(extra="forbid")

    device: str
    suite: str = ""
    task: str = ""
    instruction: Annotated[str, Field(max_length=10_000)] = ""
    assignment: ItemNumber | None = None


class _Credit(BaseModel):
    model_config = ConfigDict(extra="forbid")

    t: Annotated[str, Field(pattern="^(credit|key|still)$")]
    n: Annotated[int, Field(ge=0, le=100)] = 1


def routes(recorder: Recorder) -> list[BaseRoute]:
    """What a browser needs to record."""

    async def devices(request: Request) -> Response:
        return JSONResponse(
            [
                {"name": one.name, "state": one.state, "by": one.who, "why": one.error}
                for one in recorder.places()
            ]
        )

    async def suites(request: Request) -> Response:
        return JSONResponse(sorted(recorder.suites))

    async def tasks(request: Request) -> Response:
        wanted = value_of(request, "q", "").casefold().split()
        found = await recorder.tasks(value_of(request, "suite"))
        rows = [_row(task) for task in found if _fits(task, wanted)]
        return JSONResponse(rows[:_MAX_TASKS])

    async def sessions(request: Request) -> Response:
        return JSONResponse(await recorder.own(user(request)))

    async def begin(request: Request) -> Response:
        wanted = await body_as(request, _Begin)
        if not wanted.task and not wanted.instruction.strip():
            raise RequestError("names neither a task nor an instruction")
        session = await recorder.begin(
            user(request),
            wanted.device,
            suite=wanted.suite,
            task=wanted.task,
            instruction=wanted.instruction.strip(),
            assignment=wanted.assignment,
        )
        return JSONResponse({"session": session.demonstration.opening.episode})

    async def tree(request: Request) -> Response:
        session = await recorder.find(user(request), value_of(request, "session"))
        seen = session.demonstration.sight.seen(number_of(request, "frame"), 0.0)
        if seen is None or seen.ui_tree is None:
            return JSONResponse({"nodes": [], "stale": True})
        nodes = await asyncio.to_thread(elements, seen.ui_tree)
        return JSONResponse({"nodes": nodes, "stale": seen.stale})

    async def control(socket: WebSocket) -> None:
        session = await recorder.find(user(socket), value_of(socket, "session"))
        await socket.accept()
        await _converse(socket, session)

    async def frames(socket: WebSocket) -> None:
        session = await recorder.find(user(socket), value_of(socket, "session"))
        await socket.accept()
        await _stream(socket, session)

    return [
        ApiRoute("/api/devices", devices, role="annotator"),
        ApiRoute("/api/suites", suites, role="annotator"),
        ApiRoute("/api/tasks", tasks, role="annotator"),
        ApiRoute("/api/sessions", sessions, role="annotator"),
        ApiRoute("/api/sessions", begin, role="annotator", methods=("POST",)),
        ApiRoute("/api/sessions/tree", tree, role="annotator"),
        SocketRoute("/ws/session", control, role="annotator"),
        SocketRoute("/ws/frames", frames, role="annotator"),
    ]


async def _converse(socket: WebSocket, session: Session) -> None:
    tab, strokes = Tab(), Strokes()
    telling = asyncio.create_task(_tell(socket, tab))
    doing: set[asyncio.Task[None]] = set()
    try:
        while True:
            text = await _text(socket)
            if tab.deaf:
                await socket.close(1008, BadMessageError.code)
                return
            try:
                message = asked(text, strokes)
            except BadMessageError as error:
                tab.tell(told_failure(key_of(text), error))
                continue
            match message:
                case Hello():
                    session.enter(tab)
                case Finger():
                    strokes.follow(message)
                case _:
                    # Not waited for: the finger goes on while the device acts.
                    task = asyncio.create_task(session.do(tab, message))
                    doing.add(task)
                    task.add_done_callback(doing.discard)
    except WebSocketDisconnect:
        return
    finally:
        session.leave(tab)
        telling.cancel()


async def _tell(socket: WebSocket, tab: Tab) -> None:
    while True:
        await socket.send_text(json.dumps(await tab.messages.get()))


async def _stream(socket: WebSocket, session: Session) -> None:
    feed = Feed()
    sending = asyncio.create_task(feed.run(socket.send_bytes))
    session.follow(feed)
    try:
        while True:
            text = await _text(socket)
            try:
                said = _Credit.model_validate_json(text or "")
            except ValidationError:
                continue
            if said.t == "credit":
                feed.painted(said.n)
                continue
            if said.t == "still":
                with suppress(MissingExtraError):  # the page has said that it does not play this
                    feed.decode()
            session.refresh(feed)
    except WebSocketDisconnect:
        return
    finally:
        session.unfollow(feed)
        sending.cancel()


async def _text(socket: WebSocket) -> str | None:
    """The next message; None when it is bytes."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text: str | None = message.get("text")
    return text


def _row(task: Task) -> dict[str, object]:
    return {
        "id": task.id,
        "instruction": task.instruction,
        "apps": list(task.apps),
        "language": task.language,
        "max_steps": task.max_steps,
    }


def _fits(task: Task, words: list[str]) -> bool:
    text = " ".join((task.id, task.instruction, *task.apps)).casefold()
    return all(word in text for word in words)
