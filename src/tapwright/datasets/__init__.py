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
        "amex": f"{_FACTS}:AMEX",
        "android-control": f"{_FACTS}:ANDROID_CONTROL",
        "cagui": f"{_FACTS}:CAGUI",
        "gui-360": f"{_FACTS}:GUI_360",
        "gui-odyssey": f"{_FACTS}:GUI_ODYSSEY",
        "guiact": f"{_FACTS}:GUIACT",
        "guiact-smartphone": f"{_FACTS}:GUIACT_SMARTPHONE",
        "guiact-web-multi": f"{_FACTS}:GUIACT_WEB_MULTI",
        "guiact-web-single": f"{_FACTS}:GUIACT_WEB_SINGLE",
        "mmbench-gui": f"{_FACTS}:MMBENCH_GUI",
        "multimodal-mind2web": f"{_FACTS}:MULTIMODAL_MIND2WEB",
        "omniact": f"{_FACTS}:OMNIACT",
        "osworld-g": f"{_FACTS}:OSWORLD_G",
        "screenagent": f"{_FACTS}:SCREENAGENT",
        "screenspot": f"{_FACTS}:SCREENSPOT",
        "screenspot-pro": f"{_FACTS}:SCREENSPOT_PRO",
        "screenspot-v2": f"{_FACTS}:SCREENSPOT_V2",
        "ui-s1": f"{_FACTS}:UI_S1",
        "ui-vision": f"{_FACTS}:UI_VISION",
        "weblinx": f"{_FACTS}:WEBLINX",
    },
)
get = datasets.get
