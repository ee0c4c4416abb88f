"""The apps of a phone: what its launcher shows, found by name or package, started as it does.

Reads `cmd package query-activities`. Android reports a label over adb only where it is not
translated, so well-known packages have the name here that their launcher icon has, and any app is
found by its package and by the last part of it ("org.telegram.messenger" by "messenger").
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tapwright.devices.adb.shell import PhoneShell
from tapwright.errors import DeviceError, UnknownAppError, suggest

__all__ = ["App", "find_app", "parse_apps", "start_activity"]

_ACTIVITY = re.compile(r"^[ \t]*Activity #\d+:", re.MULTILINE)
_FIELD = {
    name: re.compile(rf"^[ \t]*{name}=(\S+)", re.MULTILINE) for name in ("name", "packageName")
}
_LABEL = re.compile(r"nonLocalizedLabel=(.+?)(?: icon=|$)", re.MULTILINE)
_NOT_STARTED = re.compile(r"^(?:Error\b|Exception\b|java\.)", re.MULTILINE)
_START_S = 30.0

_NAMES: Mapping[str, tuple[str, ...]] = {
    "com.android.settings": ("Settings", "设置"),
    "com.android.chrome": ("Chrome",),
    "com.android.vending": ("Play Store", "Google Play"),
    "com.android.contacts": ("Contacts", "通讯录", "联系人"),
    "com.google.android.contacts": ("Contacts", "通讯录", "联系人"),
    "com.android.dialer": ("Phone", "电话"),
    "com.google.android.dialer": ("Phone", "电话"),
    "com.android.mms": ("Messages", "信息", "短信"),
    "com.google.android.apps.messaging": ("Messages", "信息", "短信"),
    "com.android.camera2": ("Camera", "相机"),
    "com.android.deskclock": ("Clock", "时钟"),
    "com.google.android.deskclock": ("Clock", "时钟"),
    "com.android.calendar": ("Calendar", "日历"),
    "com.google.android.calendar": ("Calendar", "日历"),
    "com.android.calculator2": ("Calculator", "计算器"),
    "com.google.android.calculator": ("Calculator", "计算器"),
    "com.android.documentsui": ("Files", "文件"),
    "com.google.android.documentsui": ("Files", "文件"),
    "com.google.android.apps.nbu.files": ("Files by Google", "Files"),
    "com.google.android.apps.photos": ("Photos", "相册"),
    "com.google.android.apps.maps": ("Maps", "Google Maps", "地图"),
    "com.google.android.gm": ("Gmail",),
    "com.google.android.youtube": ("YouTube",),
    "com.google.android.keep": ("Keep Notes", "Keep"),
    "com.google.android.googlequicksearchbox": ("Google",),
    "com.tencent.mm": ("WeChat", "微信"),
    "com.tencent.mobileqq": ("QQ",),
    "com.taobao.taobao": ("Taobao", "淘宝"),
    "com.jingdong.app.mall": ("JD", "京东"),
    "com.eg.android.AlipayGphone": ("Alipay", "支付宝"),
    "com.sankuai.meituan": ("Meituan", "美团"),
    "com.autonavi.minimap": ("Amap", "高德地图"),
    "com.baidu.BaiduMap": ("Baidu Maps", "百度地图"),
    "com.netease.cloudmusic": ("NetEase Music", "网易云音乐"),
    "tv.danmaku.bili": ("Bilibili", "哔哩哔哩"),
    "com.xingin.xhs": ("RedNote", "小红书"),
    "com.zhihu.android": ("Zhihu", "知乎"),
    "com.sina.weibo": ("Weibo", "微博"),
    "com.ss.android.ugc.aweme": ("Douyin", "抖音"),
    "ctrip.android.view": ("Trip", "携程旅行", "携程"),
    "com.whatsapp": ("WhatsApp",),
    "org.telegram.messenger": ("Telegram",),
}


@dataclass(frozen=True, slots=True)
class App:
    """An icon of the launcher; `label` is "" where Android does not report it."""

    package: str
    activity: str
    label: str = ""

    @property
    def component(self) -> str:
        """What `am start -n` takes."""
        return f"{self.package}/{self.activity}"

    @property
    def name(self) -> str:
        """Its label, else the known name of its package, else its package."""
        return self.label or _NAMES.get(self.package, (self.package,))[0]

    def is_called(self, name: str) -> bool:
        """Whether this is one of its names, ignoring case and blanks."""
        names = (self.label, *_NAMES.get(self.package, ()), self.package.rpartition(".")[2])
        return _normalize(name) in {_normalize(one) for one in names if one}


def parse_apps(text: str) -> list[App]:
    """Parse the output of `cmd package query-activities`: each package once, sorted by name."""
    found: dict[str, App] = {}
    for block in _ACTIVITY.split(text)[1:]:
        package, activity = (_FIELD[name].search(block) for name in ("packageName", "name"))
        if package is None or activity is None:
            continue
        labels = (match[1].strip() for match in _LABEL.finditer(block))
        label = next((one for one in labels if one != "null"), "")
        found.setdefault(package[1], App(package[1], activity[1], label))
    return sorted(found.values(), key=lambda app: (app.name.casefold(), app.package))


def find_app(apps: Sequence[App], name: str, *, device: str) -> App:
    """The app of this package, or else of this name.

    Raises:
        UnknownAppError: there is none; the error suggests the nearest.
    """
    for app in apps:
        if app.package == name:
            return app
    for app in apps:
        if app.is_called(name):
            return app
    known = [word for app in apps for word in (app.name, app.package)]
    raise UnknownAppError(f"{device} has no app {name!r}", hint=suggest(name, known))


def start_activity(shell: PhoneShell, *words: str) -> None:
    """Run `am start` with these words.

    Raises:
        DeviceError: the activity was not started.
    """
    output = shell.run("am", "start", *words, timeout_s=_START_S)
    message = f"{output.errors.decode('utf-8', 'replace')}\n{output.text}"
    # It exits with 0 when there is nothing to start; names may contain "Error".
    if output.code or _NOT_STARTED.search(message):
        message = " ".join(message.split())[:300]
        raise DeviceError(
            f"{shell.serial}: am start {' '.join(words)}: {message}",
            hint="try to open it by hand on the phone",
        )


def _normalize(name: str) -> str:
    return "".join(name.casefold().split())
