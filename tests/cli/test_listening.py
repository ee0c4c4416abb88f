"""What servers of the faces ask for before they listen."""

import pytest

from tapwright.cli.listening import require_version
from tapwright.errors import UsageError


def test_a_library_of_another_version_is_refused_with_the_way_out() -> None:
    require_version("click", "8", "99")
    require_version("no-such-package", "1", "2")  # importing it says which extra brings it
    with pytest.raises(UsageError, match=r"the package click is .*; expected 98 or newer") as told:
        require_version("click", "98", "99")
    assert told.value.hint == "pip install 'click>=98,<99'"
