"""Reads a multiple-choice question out of an instruction, for the agents that answer by rule."""

import re

_OPTION = re.compile(r"([A-Z])\. (.*)", re.ASCII)


def asked_options(instruction: str) -> dict[str, str]:
    """The options by letter: the lines `A. text` after a line `Options:`; empty when none."""
    _, found, rest = f"\n{instruction}".partition("\nOptions:\n")
    if not found:
        return {}
    lines = (_OPTION.fullmatch(line) for line in rest.split("\n"))
    return {line[1]: line[2] for line in lines if line is not None}
