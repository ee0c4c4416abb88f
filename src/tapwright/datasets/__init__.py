"""Data sets by name. To add one: its facts in `table.toml`, and its name here."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.datasets.dataset import Dataset

_NAMES = (
    "agentnet agentnet-ubuntu agentnet-win-mac agentnetbench aitw aitw-general aitw-google-apps "
    "aitw-install aitw-single aitw-web-shopping aitz amex android-control cagui gui-360 "
    "gui-odyssey guiact guiact-smartphone guiact-web-multi guiact-web-single mmbench-gui "
    "multimodal-mind2web omniact osworld-g screenagent screenspot screenspot-pro screenspot-v2 "
    "ui-s1 ui-vision weblinx"
)
datasets: "Registry[Dataset]" = Registry(
    "datasets",
    "data set",
    {name: f"tapwright.datasets.table:{name}" for name in _NAMES.split()},
)
get = datasets.get
