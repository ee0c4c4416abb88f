"""The OpenAPI 3.1 description of the API, made of the routes themselves.

It is served at `/api/openapi.json` and written to `docs/openapi.json`, from which the frontend's
types are generated. OpenAPI has no WebSockets; they stand under "x-websockets".
"""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal

from pydantic import JsonValue, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema
from starlette.requests import Request
from starlette.routing import BaseRoute

from tapwright import __version__
from tapwright.core.actions import ActionAdapter
from tapwright.web.api import (
    ApiRoute,
    DownloadResponse,
    EmptyResponse,
    FileResponse,
    ImageResponse,
    Query,
    SocketRoute,
)
from tapwright.web.auth import SESSION_COOKIE
from tapwright.web.error_responses import ErrorView

__all__ = ["describe_routes", "routes"]

_COMPONENTS = "#/components/schemas/"
_Schema = dict[str, Any]
_Mode = Literal["validation", "serialization"]


class _Generator(GenerateJsonSchema):
    """JSON Schema without titles, in which an answer has all of its fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        always = self.mode == "serialization" and "serialization_exclude_if" not in field
        return always or super().field_is_required(field, total)


def routes(api: Iterable[BaseRoute]) -> list[BaseRoute]:
    """The route that serves the description of these routes, made when it is first asked for."""
    described = [*api]
    document = cache(lambda: describe_routes(described))

    def read_openapi(request: Request) -> dict[str, JsonValue]:
        return document()

    route = ApiRoute("/api/openapi.json", read_openapi, role="anyone")
    described.append(route)
    return [route]


def describe_routes(api: Iterable[BaseRoute]) -> dict[str, JsonValue]:
    """The OpenAPI document of these routes."""
    listed = list(api)
    http = [route for route in listed if isinstance(route, ApiRoute)]
    sockets = [route for route in listed if isinstance(route, SocketRoute)]
    schemas, components = _schemas(http, sockets)
    paths: dict[str, _Schema] = {}
    for route in http:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "tapwright", "version": __version__},
        "paths": {path: paths[path] for path in sorted(paths)},
        "x-websockets": {
            route.path: {
                "operationId": route.handler.__name__,
                "x-role": route.role,
                "parameters": [*_parameters(route.query_type)],
                "receives": schemas.get((route.path, "receives"), {}),
                "sends": schemas.get((route.path, "sends"), {}),
            }
            for route in sockets
        },
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {
                "session": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": SESSION_COOKIE,
                    "description": 'With "-PORT" where the address names a port.',
                }
            },
        },
    }


def _schemas(
    http: Iterable[ApiRoute], sockets: Iterable[SocketRoute]
) -> tuple[dict[tuple[str, str], _Schema], dict[str, _Schema]]:
    """The schemas of what routes take and answer, by path and part, and what they refer to."""
    inputs: list[tuple[tuple[str, str], _Mode, TypeAdapter[Any]]] = [
        (("", "error"), "serialization", TypeAdapter(ErrorView)),
        (("", "action"), "serialization", ActionAdapter),
        (("", "action input"), "validation", ActionAdapter),
    ]
    for route in http:
        key = f"{route.method} {route.path}"
        if route.body_type is not None:
            inputs.append(((key, "body"), "validation", TypeAdapter(route.body_type)))
        if route.adapter is not None:
            inputs.append(((key, "answer"), "serialization", route.adapter))
    for socket in sockets:
        if socket.receives is not None:
            inputs.append(((socket.path, "receives"), "validation", socket.receives))
        if socket.sends is not None:
            inputs.append(((socket.path, "sends"), "serialization", socket.sends))
    found, shared = TypeAdapter.json_schemas(
        inputs, ref_template=_COMPONENTS + "{model}", schema_generator=_Generator
    )
    definitions = shared.get("$defs", {})
    components = {_plain_name(name): _clean(schema) for name, schema in definitions.items()}
    schemas = {key: _clean(schema) for (key, _), schema in found.items()}
    # Pydantic writes a union out wherever a field has it.
    names = {"Action": schemas["", "action"], "ActionInput": schemas["", "action input"]}
    components = _name_unions(components, names) | names
    return {key: _name_unions(schema, names) for key, schema in schemas.items()}, components


def _operation(route: ApiRoute, schemas: Mapping[tuple[str, str], _Schema]) -> _Schema:
    key = f"{route.method} {route.path}"
    error = {"application/json": {"schema": schemas["", "error"]}}
    operation: _Schema = {
        "operationId": route.handler.__name__,
        "x-role": route.role,
        "parameters": _parameters(route.query_type),
        "responses": {
            "200": {"description": "Success", "content": _content(route, schemas)},
            "default": {"description": "Failure", "content": error},
        },
    }
    if route.role != "anyone":
        operation["security"] = [{"session": []}]
        operation["responses"]["401"] = {"description": "Nobody has signed in", "content": error}
        operation["responses"]["403"] = {"description": "Not allowed", "content": error}
    if (key, "body") in schemas:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schemas[key, "body"]}},
        }
    return operation


def _parameters(query_type: type[Query] | None) -> list[_Schema]:
    if query_type is None:
        return []
    schema = _clean(query_type.model_json_schema(schema_generator=_Generator))
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": value}
        for name, value in schema["properties"].items()
    ]


def _content(route: ApiRoute, schemas: Mapping[tuple[str, str], _Schema]) -> _Schema:
    if route.answer_type is ImageResponse:
        return {"image/*": {"schema": {"type": "string", "contentMediaType": "image/*"}}}
    if route.answer_type in (DownloadResponse, FileResponse):
        return {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    if route.answer_type in (None, EmptyResponse):
        empty = {"type": "object", "properties": {}, "additionalProperties": False}
        return {"application/json": {"schema": empty}}
    key = f"{route.method} {route.path}"
    return {"application/json": {"schema": schemas[key, "answer"]}}


def _clean(value: Any) -> Any:
    """A schema without titles, and with "XInput" and "X" for "X-Input" and "X-Output"."""
    match value:
        case {"$ref": str(target), **rest}:
            return {"$ref": _plain_name(target), **_clean(rest)}
        case {"properties": dict(properties), **rest}:
            # The tag of a union may have a default, and is to be sent all the same.
            tags = [name for name, field in properties.items() if "const" in field]
            given: Any = rest.pop("required", [])
            required = [*given, *tags]
            fields = {name: _clean(field) for name, field in properties.items()}
            return {"properties": fields, **_clean(rest)} | (
                {"required": sorted(set(required), key=list(fields).index)} if required else {}
            )
        case dict():
            return {
                key: _clean(item)
                for key, item in value.items()
                if not (key == "title" and isinstance(item, str))
            }
        case list():
            return [_clean(item) for item in value]
        case str() if value.startswith(_COMPONENTS):  # in the mapping of a discriminator
            return _plain_name(value)
        case _:
            return value


def _plain_name(name: str) -> str:
    return name.removesuffix("-Output").replace("-Input", "Input")


def _name_unions(value: Any, names: Mapping[str, _Schema]) -> Any:
    """With a reference in place of every schema that has a name."""
    for name, schema in names.items():
        if value == schema:
            return {"$ref": _COMPONENTS + name}
    match value:
        case dict():
            return {key: _name_unions(item, names) for key, item in value.items()}
        case list():
            return [_name_unions(item, names) for item in value]
        case _:
            return value
