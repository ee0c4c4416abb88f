"""Asks an app as its own pages do."""

from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

HOST = "http://localhost:8765"
OURS = {"Origin": HOST, "X-Tapwright": "1"}
"""The headers that a change needs, beside its content type."""


def client(app: Starlette, **options: Any) -> TestClient:
    """A browser at `HOST`; use it as a context manager to run the app's lifespan."""
    return TestClient(app, base_url=HOST, **options)
