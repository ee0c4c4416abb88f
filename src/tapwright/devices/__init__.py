"""Things with a screen. To add one: a file here, and a line in the table."""

from typing import TYPE_CHECKING

from tapwright.core.registry import Registry

if TYPE_CHECKING:
    from tapwright.devices.device import DeviceFactory

devices: "Registry[DeviceFactory]" = Registry(
    "devices",
    "device",
    {
        "adb": "tapwright.devices.adb.live:open_phone",
        "desktop": "tapwright.devices.desktop.opening:open_desktop",
        "fake": "tapwright.devices.fake:FakeDevice.named",
        "miniwob": "tapwright.devices.miniwob.device:MiniWob.named",
        "osworld": "tapwright.devices.osworld.device:open_osworld",
        "phone": "tapwright.devices.phone.device:Phone.named",
        "remote": "tapwright.devices.remote.device:open_remote",
        "replay": "tapwright.devices.replay:ReplayDevice.named",
        "sites": "tapwright.devices.sites.device:SitesDevice.named",
        "web": "tapwright.devices.web.device:WebDevice.named",
        "webdriver": "tapwright.devices.webdriver.device:open_webdriver",
    },
    "tapwright.devices.device:DeviceFactory",
)
get = devices.get
