"""What a request holds, read strictly: one value of its query, or its body as a model."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import HTTPConnection, Request

from tapwright.errors import first_problem
from tapwright.web.errors import RequestError

__all__ = ["body_as", "number_of", "value_of"]

T = TypeVar("T", bound=BaseModel)


async def body_as(request: Request, kind: type[T]) -> T:
    """The body, which is JSON, as this model.

    Raises:
        RequestError: it is not; says which field.
    """
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestError(f"the body is not what is expected: {first_problem(error)}") from error


def value_of(connection: HTTPConnection, name: str, default: str | None = None) -> str:
    """One value of the query.

    Raises:
        RequestError: there is none, and no default; or there are several.
    """
    values = connection.query_params.getlist(name)
    if not values and default is not None:
        return default
    if len(values) != 1:
        raise RequestError(f"the query has {len(values)} values for {name!r}; expected one")
    return values[0]


def number_of(connection: HTTPConnection, name: str, default: int | None = None) -> int:
    """One value of the query as a whole number from 0 to 999 999 999.

    Raises:
        RequestError: there is none, and no default; or it is no such number.
    """
    text = value_of(connection, name, None if default is None else str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise RequestError(f"{name}={text[:40]!r} is not a whole number from 0 on")
    return int(text)
