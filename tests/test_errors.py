import inspect

from tapwright.errors import TapwrightError, every_error


def test_every_error_has_a_code_of_its_own_and_says_when() -> None:
    def kinds(root: type[TapwrightError]) -> list[type[TapwrightError]]:
        return [root, *(kind for child in root.__subclasses__() for kind in kinds(child))]

    found = [kind for kind in kinds(TapwrightError) if kind.__module__ == "tapwright.errors"]
    codes = [kind.__dict__.get("code") for kind in found]
    assert None not in codes
    assert len(set(codes)) == len(codes)
    assert all(inspect.getdoc(kind) for kind in found)
    assert set(codes) <= set(every_error())
