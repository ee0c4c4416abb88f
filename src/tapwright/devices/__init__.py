"""Things with a screen. To add one: a file here, and a line in the table."""

from tapwright.devices.device import Device
from tapwright.registry import Registry

devices: Registry[type[Device]] = Registry(
    "devices",
    "device",
    {
        "fake": "tapwright.devices.fake:FakeDevice",
        "phone": "tapwright.devices.phone.device:Phone",
        "replay": "tapwright.devices.replay:ReplayDevice",
    },
)
