#!/bin/sh
# Makes sure that the built-in phone has a Chromium that starts and draws what it should.
# Takes what is there; else asks Playwright; else, as root on Debian, the distribution's package.
set -u
case "${1:-}" in -h | --help) sed -n '/^#!/d; /^#/!q; s/^# //p' "$0"; exit ;; esac
bin=$1
. scripts/debian_packages.sh

has_browser() { "$bin/tapwright" doctor --check chromium >/dev/null 2>&1; }

if ! has_browser; then
    echo "    none that works, asking Playwright for one"
    "$bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
        --only-binary :all: -r locks/browser.txt \
        && "$bin/python" -m playwright install chromium-headless-shell >.make/playwright.log 2>&1 \
        || echo "    Playwright could not download one (.make/playwright.log)"
fi
has_browser || install_packages chromium-headless-shell
"$bin/tapwright" doctor --check chromium --format human && exit 0
# Without root Chromium runs in its sandbox, and where the kernel lends none, in this package's.
if command -v apt-get >/dev/null; then
    echo "    the built-in phone needs a Chromium that works; on Debian and Ubuntu:" >&2
    packages_line chromium-headless-shell chromium-sandbox >&2
    echo "    then run make again" >&2
fi
exit 1
