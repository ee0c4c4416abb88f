import pytest

from tests.cli.running import tapwright


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--workers", "3"), "--engine ray"),
        (("--engine", "ray", "--device", "fake", "--device", "fake"), "tapwright devices serve"),
        (("--engine", "ray", "--profile", "logins"), "--engine local"),
    ],
)
def test_what_does_not_go_together_is_told(words: tuple[str, ...], said: str) -> None:
    run = tapwright("record", "--agent", "script", *words)
    assert run.returncode == 2
    assert said in run.stderr
