"""Serves the pages built from `frontend/`: one document for every address, its assets, and a font.

The files are listed when the app is created, and only those are served, so that no request is
ever used as a path.
"""

import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from tapwright import __version__
from tapwright.drawing.text import bundled_font_folders
from tapwright.web.errors import ResourceNotFoundError
from tapwright.web.login import SignIn

__all__ = ["NOT_BUILT_HINT", "page_routes"]

BUILT = Path(__file__).parent / "static"
"""The build's directory: `index.html`, and `assets/` whose names change with their content."""

_FONT = "NotoSansSC-Regular.otf"

NOT_BUILT_HINT = "in a clone: make frontend; else install it again, from a wheel, which has them"
"""The way out where the pages are missing, which every wheel has."""

_NOT_BUILT = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>tapwright</title></head>
<body><main><h1>The pages are not built</h1>
<p>The server runs, and this copy of tapwright has no pages: {NOT_BUILT_HINT}</p>
</main></body></html>
"""


def page_routes(base_path: str, sign_in: SignIn, built: Path = BUILT) -> list[BaseRoute]:
    """Routes for the assets, and one for every other address, which serves the document."""
    assets = {path.name: path for path in sorted(built.glob("assets/*")) if path.is_file()}
    # A browser without Chinese fetches it, as the pages' styles say; others have their own.
    for folder in bundled_font_folders():
        assets[_FONT] = folder / _FONT
    document = _document(base_path, built / "index.html")

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in assets:
            raise ResourceNotFoundError(f"no such file: {name}")
        return FileResponse(
            assets[name], headers={"Cache-Control": "public, max-age=31536000, immutable"}
        )

    async def page(request: Request) -> Response:
        path = request.path_params["path"]
        if path.partition("/")[0] in {"api", "ws"}:
            raise ResourceNotFoundError(f"no such address: {path}")
        return await sign_in.by_address(request) or HTMLResponse(document)

    return [Route("/assets/{name}", asset), Route("/{path:path}", page)]


def _document(base_path: str, index: Path) -> str:
    """The document with its base path; "<" is escaped so that no text ends the data block."""
    html = index.read_text(encoding="utf-8") if index.is_file() else _NOT_BUILT
    config = json.dumps({"base": base_path, "version": __version__}).replace("<", "\\u003c")
    return html.replace(
        "<head>",
        f'<head><base href="{base_path}/">'
        f'<script type="application/json" id="config">{config}</script>',
        1,
    )
