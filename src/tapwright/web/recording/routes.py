"""The recording routes: devices, tasks, sessions, and the two sockets of a session."""

import asyncio
import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from tapwright.core.observation import UiTree
from tapwright.errors import BadTreeError
from tapwright.web.api import ApiRoute, Body, ItemNumber, Query, SocketRoute
from tapwright.web.auth import current_user
from tapwright.web.episode_views import TreeNodeView, node_view
from tapwright.web.error_responses import without_paths
from tapwright.web.errors import BadMessageError, RequestError
from tapwright.web.recording import messages
from tapwright.web.recording.feed import receive_text, stream_pictures
from tapwright.web.recording.recorder import DeviceUse, Recorder, SessionView
from tapwright.web.recording.session import RecordingSession, SessionTab
from tapwright.web.recording.tally import DemonstrationTally
from tapwright.web.recording.task_routes import task_routes

__all__ = ["LiveTreeView", "list_elements", "routes"]


@dataclass(frozen=True, slots=True)
class LiveTreeView:
    """The visible nodes of a live screen; `stale` is whether the tree is older than the picture."""

    nodes: tuple[TreeNodeView, ...]
    stale: bool


@lru_cache(maxsize=64)
def list_elements(tree: UiTree) -> tuple[TreeNodeView, ...]:
    """The visible nodes of a tree; none if it is broken.

    A container that is not clickable has no label, which would be that of all its children.
    """
    try:
        nodes = tree.nodes
    except BadTreeError:
        return ()
    views: list[TreeNodeView] = []
    for node in nodes:
        view = node_view(node)
        if view is not None:
            is_container = bool(node.children) and not view.clickable
            views.append(replace(view, label="") if is_container else view)
    return tuple(views)


@dataclass(frozen=True, slots=True)
class DeviceView:
    """A device. `user` leased it, or is waiting for it to open; `error` is its last failure."""

    name: str
    state: Literal["free", "opening", "leased", "unhealthy"]
    user: str
    error: str


class SessionQuery(Query):
    """An open session."""

    session: str


class SessionBody(Body):
    """A session that was released."""

    session: str


class ReleaseBody(SessionBody):
    """A device, and the session that has it."""

    device: str


class BeginBody(Body):
    """A task of a suite, or an instruction, to record on a device.

    `assignment` is the item of the team's queue that it is recorded for.
    """

    device: str
    suite: str = ""
    task: str = ""
    instruction: Annotated[str, Field(max_length=10_000)] = ""
    assignment: ItemNumber | None = None


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """The id of a session, which is that of its episode."""

    session: str


def routes(recorder: Recorder, tally: DemonstrationTally) -> list[BaseRoute]:
    """The routes that a browser needs to record."""

    async def list_devices(request: Request) -> list[DeviceView]:
        return [DeviceView(one.name, one.state, one.who, one.error) for one in recorder.devices()]

    async def list_sessions(request: Request) -> list[SessionView]:
        return await recorder.list_sessions(current_user(request))

    async def begin(request: Request, body: BeginBody) -> SessionAnswer:
        if not body.task and not body.instruction.strip():
            raise RequestError("the body has neither a task nor an instruction")
        session = await recorder.begin(
            current_user(request),
            body.device,
            suite=body.suite,
            task=body.task,
            instruction=body.instruction.strip(),
            assignment=body.assignment,
        )
        return SessionAnswer(session.demonstration.header.episode)

    async def list_uses(request: Request) -> list[DeviceUse]:
        return recorder.list_uses()

    async def release(request: Request, body: ReleaseBody) -> None:
        await recorder.release(current_user(request), body.device, body.session)

    async def resume(request: Request, body: SessionBody) -> SessionAnswer:
        session = await recorder.resume(current_user(request), body.session)
        return SessionAnswer(session.demonstration.header.episode)

    async def read_tree(
        request: Request, session: str, frame: Annotated[int, Field(ge=0, lt=2**32)]
    ) -> LiveTreeView:
        found = await recorder.find(current_user(request), session)
        observation = found.demonstration.frame_history.find_observation(frame, 0.0)
        if observation is None or observation.ui_tree is None:
            return LiveTreeView((), stale=True)
        nodes = await asyncio.to_thread(list_elements, observation.ui_tree)
        return LiveTreeView(nodes, observation.stale)

    async def control(socket: WebSocket, query: SessionQuery) -> None:
        session = await recorder.find(current_user(socket), query.session)
        await socket.accept()
        await _control(socket, session)

    async def frames(socket: WebSocket, query: SessionQuery) -> None:
        session = await recorder.find(current_user(socket), query.session)
        await socket.accept()
        await stream_pictures(socket, session)

    return [
        ApiRoute("/api/devices", list_devices, role="annotator"),
        *task_routes(recorder, tally),
        ApiRoute("/api/sessions", list_sessions, role="annotator"),
        ApiRoute("/api/sessions", begin, role="annotator", method="POST"),
        ApiRoute("/api/devices/uses", list_uses, role="admin"),
        ApiRoute("/api/devices/release", release, role="admin", method="POST"),
        ApiRoute("/api/sessions/resume", resume, role="annotator", method="POST"),
        ApiRoute("/api/sessions/tree", read_tree, role="annotator"),
        SocketRoute(
            "/ws/session",
            control,
            role="annotator",
            receives=messages.ClientMessages,
            sends=messages.ServerMessages,
        ),
        SocketRoute("/ws/frames", frames, role="annotator", receives=messages.FrameMessages),
    ]


async def _control(socket: WebSocket, session: RecordingSession) -> None:
    tab, strokes = SessionTab(), messages.StrokeBuffer()
    sending = asyncio.create_task(_send_messages(socket, tab))
    running: set[asyncio.Task[None]] = set()
    try:
        while True:
            text = await receive_text(socket)
            if tab.is_overflowing:
                await socket.close(1008, BadMessageError.code)
                return
            try:
                message = messages.parse_message(text, strokes)
            except BadMessageError as error:
                tab.send(messages.failed_message(messages.read_key(text), error))
                continue
            match message:
                case messages.Hello():
                    session.enter(tab)
                case messages.PointerMove():
                    strokes.add(message)
                case _:
                    # Not awaited: gestures continue while the device acts.
                    task = asyncio.create_task(session.execute(tab, message))
                    running.add(task)
                    task.add_done_callback(running.discard)
    except WebSocketDisconnect:
        return
    finally:
        session.leave(tab)
        sending.cancel()


async def _send_messages(socket: WebSocket, tab: SessionTab) -> None:
    while True:
        message = await tab.messages.get()
        if isinstance(message, messages.FailedMessage):
            message = replace(
                message,
                message=without_paths(message.message, socket),
                hint=without_paths(message.hint, socket),
            )
        await socket.send_text(
            json.dumps(messages.ServerMessages.dump_python(message, mode="json"))
        )
