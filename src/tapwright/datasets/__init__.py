"""Data sets by name. To add one: its facts in `table.py` or `recordings.py`, and a line here."""

from typing import TYPE_CHECKING

from tapwright.plugins.registry import Registry

if TYPE_CHECKING:
    from tapwright.datasets.dataset import Dataset

_BENCHMARKS = "tapwright.datasets.table"
_RECORDINGS = "tapwright.datasets.recordings"

datasets: "Registry[Dataset]" = Registry(
    "datasets",
    "data set",
    {
        "agentnet": f"{_RECORDINGS}:AGENTNET",
        "agentnet-ubuntu": f"{_RECORDINGS}:AGENTNET_UBUNTU",
        "agentnet-win-mac": f"{_RECORDINGS}:AGENTNET_WIN_MAC",
        "agentnetbench": f"{_RECORDINGS}:AGENTNETBENCH",
        "aitw": f"{_RECORDINGS}:AITW",
        "aitw-general": f"{_RECORDINGS}:AITW_GENERAL",
        "aitw-google-apps": f"{_RECORDINGS}:AITW_GOOGLE_APPS",
        "aitw-install": f"{_RECORDINGS}:AITW_INSTALL",
        "aitw-single": f"{_RECORDINGS}:AITW_SINGLE",
        "aitw-web-shopping": f"{_RECORDINGS}:AITW_WEB_SHOPPING",
        "aitz": f"{_RECORDINGS}:AITZ",
        "amex": f"{_RECORDINGS}:AMEX",
        "android-control": f"{_RECORDINGS}:ANDROID_CONTROL",
        "cagui": f"{_RECORDINGS}:CAGUI",
        "gui-360": f"{_RECORDINGS}:GUI_360",
        "gui-odyssey": f"{_RECORDINGS}:GUI_ODYSSEY",
        "guiact": f"{_RECORDINGS}:GUIACT",
        "guiact-smartphone": f"{_RECORDINGS}:GUIACT_SMARTPHONE",
        "guiact-web-multi": f"{_RECORDINGS}:GUIACT_WEB_MULTI",
        "guiact-web-single": f"{_RECORDINGS}:GUIACT_WEB_SINGLE",
        "mmbench-gui": f"{_BENCHMARKS}:MMBENCH_GUI",
        "multimodal-mind2web": f"{_RECORDINGS}:MULTIMODAL_MIND2WEB",
        "omniact": f"{_RECORDINGS}:OMNIACT",
        "osworld-g": f"{_BENCHMARKS}:OSWORLD_G",
        "screenagent": f"{_RECORDINGS}:SCREENAGENT",
        "screenspot": f"{_BENCHMARKS}:SCREENSPOT",
        "screenspot-pro": f"{_BENCHMARKS}:SCREENSPOT_PRO",
        "screenspot-v2": f"{_BENCHMARKS}:SCREENSPOT_V2",
        "ui-s1": f"{_RECORDINGS}:UI_S1",
        "ui-vision": f"{_BENCHMARKS}:UI_VISION",
        "weblinx": f"{_RECORDINGS}:WEBLINX",
    },
)
get = datasets.get
