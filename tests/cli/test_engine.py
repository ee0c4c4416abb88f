import pytest

from tapwright.workflows.engine import Engine
from tests.cli.running import tapwright


def test_an_engine_is_here_unless_it_has_workers() -> None:
    assert not Engine().is_remote
    assert Engine(workers=1).is_remote


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "3"), "--engine ray"),
        (("--engine", "ray", "--device", "fake", "--device", "fake"), "tapwright devices serve"),
    ],
)
def test_what_does_not_go_together_is_told(words: tuple[str, ...], said: str) -> None:
    run = tapwright("record", "--agent", "script", *words)
    assert run.returncode == 2
    assert said in run.stderr
