"""The routes of the attempts that are played now; all for reviewers."""

from typing import Annotated

from pydantic import Field, Json
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.websockets import WebSocket

from tapwright.core.actions import Action
from tapwright.environment.live import Order
from tapwright.web.api import ApiRoute, Body, ImageResponse, Query, SocketRoute, image_response
from tapwright.web.auth import current_user
from tapwright.web.library.library import Library
from tapwright.web.library.live import LiveAttempts, LiveView
from tapwright.web.recording.feed import stream_pictures
from tapwright.web.recording.messages import FrameMessages

__all__ = ["routes"]

ScreenNumber = Annotated[int, Field(ge=1, lt=10**9)]


class LiveQuery(Query):
    """The attempts of a run, or of the store and all runs.

    `known` are those that the page shows already, as a JSON list of pairs of run and episode: who
    gives it, and be it empty, shows attempts to a person, of whom an agent may ask something.
    """

    run: str = ""
    known: Json[Annotated[tuple[tuple[str, str], ...], Field(max_length=64)]] = ()


class PicturesQuery(Query):
    """The live pictures of an attempt, while it is held."""

    episode: str
    run: str = ""


class LiveScreenQuery(PicturesQuery):
    """The newest of them; by its number a page asks for each once."""

    number: ScreenNumber


class AttemptBody(Body):
    """An attempt that is played, in a run or in the store."""

    run: str
    episode: str


class HoldBody(AttemptBody):
    """An attempt to be paused, or with `acts` taken over.

    The same `again` every few seconds keeps it, and has no effect once it was given back.
    """

    acts: bool
    again: bool = False


class OrderBody(AttemptBody):
    """An action in the agent's place, decided on a screen; `key` is no other action's."""

    key: Annotated[str, Field(min_length=1, max_length=100)]
    screen: ScreenNumber
    action: Action


class AnswerBody(AttemptBody):
    """Whether an agent may do what it asked for with this key, this once."""

    key: Annotated[str, Field(min_length=1, max_length=100)]
    allows: bool


def routes(library: Library) -> list[BaseRoute]:
    """`api/live` and what belongs to it."""
    attempts = LiveAttempts(library)

    def list_attempts(request: Request, query: LiveQuery) -> list[LiveView]:
        return attempts.list(query.run, query.known, shows="known" in query.model_fields_set)

    def read_screen(request: Request, query: LiveScreenQuery) -> ImageResponse:
        shot = attempts.screen(query.run, query.episode)
        return image_response(request, shot, lambda: shot.data, shot.media_type)

    async def stream(socket: WebSocket, query: PicturesQuery) -> None:
        pictures = attempts.pictures(query.run, query.episode)
        await socket.accept()
        await stream_pictures(socket, pictures)

    def hold(request: Request, body: HoldBody) -> None:
        who = current_user(request).name
        attempts.hold(body.run, body.episode, who, acts=body.acts, again=body.again)

    def act(request: Request, body: OrderBody) -> None:
        order = Order(key=body.key, action=body.action, screen=body.screen)
        who = current_user(request).name
        attempts.hold(body.run, body.episode, who, acts=True, order=order)

    def answer(request: Request, body: AnswerBody) -> None:
        who = current_user(request).name
        attempts.answer(body.run, body.episode, body.key, who, allows=body.allows)

    def release(request: Request, body: AttemptBody) -> None:
        attempts.release(body.run, body.episode, current_user(request).name)

    return [
        ApiRoute("/api/live", list_attempts, role="reviewer"),
        ApiRoute("/api/live/screen", read_screen, role="reviewer"),
        SocketRoute("/ws/live", stream, role="reviewer", receives=FrameMessages),
        ApiRoute("/api/live/hold", hold, role="reviewer", method="POST"),
        ApiRoute("/api/live/act", act, role="reviewer", method="POST"),
        ApiRoute("/api/live/answer", answer, role="reviewer", method="POST"),
        ApiRoute("/api/live/release", release, role="reviewer", method="POST"),
    ]
