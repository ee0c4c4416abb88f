"""Data sets by name. To add one: its facts in `table.py` or `recordings.py`, and its name here."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.datasets.dataset import Dataset

_NAMES = {
    "table": "mmbench-gui osworld-g screenspot screenspot-pro screenspot-v2 ui-vision",
    "recordings": "agentnet agentnet-ubuntu agentnet-win-mac agentnetbench aitw aitw-general "
    "aitw-google-apps aitw-install aitw-single aitw-web-shopping aitz amex android-control cagui "
    "gui-360 gui-odyssey guiact guiact-smartphone guiact-web-multi guiact-web-single "
    "multimodal-mind2web omniact screenagent ui-s1 weblinx",
}
datasets: "Registry[Dataset]" = Registry(
    "datasets",
    "data set",
    {
        name: f"tapwright.datasets.{module}:{name.upper().replace('-', '_')}"
        for module, names in _NAMES.items()
        for name in names.split()
    },
)
get = datasets.get
