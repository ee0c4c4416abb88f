"""Annotators explain the steps of episodes. To add one: a file here, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.annotate.annotator import Annotator

__all__ = ["annotators"]

annotators: "Registry[Annotator]" = Registry(
    "annotate", "annotator", {"rules": "tapwright.annotate.rules:RULES"}
)
