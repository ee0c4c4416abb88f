"""Scripts that know the answer earn the full reward of seven pages: the driver does what it says.

The pages and their rules: https://github.com/Farama-Foundation/miniwob-plusplus (1.1.0).
"""

import re
from collections.abc import Callable, Mapping

import pytest

from tapwright.core.actions import Tap, TypeText
from tapwright.core.observation import UiNode, UiTree
from tapwright.devices.miniwob.device import MiniWob

SEEDS = range(10)
Play = Callable[[MiniWob], None]


def tree(device: MiniWob) -> UiTree:
    found = device.observe().ui_tree
    assert found is not None
    return found


def tap(device: MiniWob, node: UiNode | None) -> None:
    assert node is not None
    assert node.box is not None
    device.perform(Tap(at=node.box.center))


def by_id(device: MiniWob, short_id: str) -> UiNode | None:
    return next((one for one in tree(device).nodes if one.short_id == short_id), None)


def clickable(device: MiniWob, label: str) -> UiNode | None:
    nodes = tree(device).nodes
    return next((one for one in nodes if one.is_("clickable") and one.label == label), None)


def asked(device: MiniWob) -> str:
    return str(device.state("utterance"))


def click_test(device: MiniWob) -> None:
    tap(device, by_id(device, "subbtn"))


def click_button(device: MiniWob) -> None:
    (name,) = re.findall(r'"(.*)"', asked(device))
    tap(device, clickable(device, name))


def enter_text(device: MiniWob) -> None:
    (text,) = re.findall(r'"(.*)"', asked(device))
    tap(device, by_id(device, "tt"))
    device.perform(TypeText(text=text))
    tap(device, by_id(device, "subbtn"))


def login_user(device: MiniWob) -> None:
    name, password = re.findall(r'"(.*?)"', asked(device))
    for field, text in (("username", name), ("password", password)):
        tap(device, by_id(device, field))
        device.perform(TypeText(text=text))
    tap(device, by_id(device, "subbtn"))


def click_checkboxes(device: MiniWob) -> None:
    (names,) = re.findall(r"Select (.*) and click Submit", asked(device))
    for name in names.split(", "):
        if name != "nothing":
            label = next(one for one in tree(device).nodes if one.text == name)
            tap(device, label)
    tap(device, by_id(device, "subbtn"))


def click_tab(device: MiniWob) -> None:
    (number,) = re.findall(r"Tab #(\d)", asked(device))
    tap(device, clickable(device, f"Tab #{number}"))


def click_dialog(device: MiniWob) -> None:
    nodes = tree(device).nodes
    tap(device, next(one for one in nodes if one.is_("clickable") and one.role.endswith("button")))


PLAYS: Mapping[str, Play] = {
    "click-test": click_test,
    "click-button": click_button,
    "enter-text": enter_text,
    "login-user": login_user,
    "click-checkboxes": click_checkboxes,
    "click-tab": click_tab,
    "click-dialog": click_dialog,
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("page", PLAYS)
@pytest.mark.slow_but_one
def test_who_knows_the_answer_earns_the_whole_reward(
    miniwob: MiniWob, page: str, seed: int
) -> None:
    miniwob.reset(app=page, seed=seed)
    PLAYS[page](miniwob)
    assert miniwob.state("done") is True
    assert miniwob.state("raw_reward") == 1
