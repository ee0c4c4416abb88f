#!/bin/sh
# Makes sure that the built-in phone has a Chromium and a font with Chinese characters.
# Takes what is there; else asks Playwright; else, as root on Debian, the distribution's package.
set -u
bin=$1

has_browser() { "$bin/tapwright" doctor --check chromium >/dev/null 2>&1; }
has_font() { "$bin/tapwright" doctor --check fonts >/dev/null 2>&1; }
is_debian_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }
debian_install() {
    [ -n "${apt_is_fresh:-}" ] || apt-get update -qq >/dev/null
    apt_is_fresh=1
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

if ! has_browser; then
    echo "    none found, asking Playwright for one"
    "$bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt playwright \
        && "$bin/python" -m playwright install chromium-headless-shell >.make/playwright.log 2>&1
fi
if ! has_browser && is_debian_root; then
    echo "    Playwright could not download one, installing Debian's chromium-headless-shell"
    debian_install chromium-headless-shell || debian_install chromium
fi
if ! has_font && is_debian_root; then
    echo "    no font with Chinese characters, installing Debian's fonts-noto-cjk"
    debian_install fonts-noto-cjk
fi
has_font || echo "    note: no font with Chinese characters; apt-get install fonts-noto-cjk"
exec "$bin/tapwright" doctor --check chromium --format human
