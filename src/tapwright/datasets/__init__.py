"""Data sets by name. To add one: its facts in `table.py`, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.plugins.registry import Registry

if TYPE_CHECKING:
    from tapwright.datasets.dataset import Dataset

_FACTS = "tapwright.datasets.table"

datasets: "Registry[Dataset]" = Registry(
    "datasets",
    "data set",
    {
        "agentnet": f"{_FACTS}:AGENTNET",
        "agentnet-ubuntu": f"{_FACTS}:AGENTNET_UBUNTU",
        "agentnet-win-mac": f"{_FACTS}:AGENTNET_WIN_MAC",
        "aitw": f"{_FACTS}:AITW",
        "aitw-general": f"{_FACTS}:AITW_GENERAL",
        "aitw-google-apps": f"{_FACTS}:AITW_GOOGLE_APPS",
        "aitw-install": f"{_FACTS}:AITW_INSTALL",
        "aitw-single": f"{_FACTS}:AITW_SINGLE",
        "aitw-web-shopping": f"{_FACTS}:AITW_WEB_SHOPPING",
        "aitz": f"{_FACTS}:AITZ",
        "android-control": f"{_FACTS}:ANDROID_CONTROL",
        "gui-odyssey": f"{_FACTS}:GUI_ODYSSEY",
        "mmbench-gui": f"{_FACTS}:MMBENCH_GUI",
        "osworld-g": f"{_FACTS}:OSWORLD_G",
        "screenagent": f"{_FACTS}:SCREENAGENT",
        "screenspot": f"{_FACTS}:SCREENSPOT",
        "screenspot-pro": f"{_FACTS}:SCREENSPOT_PRO",
        "screenspot-v2": f"{_FACTS}:SCREENSPOT_V2",
        "ui-vision": f"{_FACTS}:UI_VISION",
    },
)
get = datasets.get
