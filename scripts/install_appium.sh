#!/bin/sh
# Installs the Appium that slow tests start, with its drivers for Chromium and for fake phones: 130 MB
# of npm packages, at the versions and hashes of the lock. Without them those tests are skipped, but on CI.
set -u
case "${1:-}" in -h | --help) sed -n '/^#!/d; /^#/!q; s/^# //p' "$0"; exit ;; esac
bin=$1
lock=tests/devices/webdriver/appium
home=.make/appium-server

mkdir -p "$home" && cp "$lock/package.json" "$lock/package-lock.json" "$lock/.npmrc" "$home/"
"$bin/python" scripts/frontend.py npm "$home" ci --loglevel=error --ignore-scripts \
    || echo "    note: Appium could not be installed; its tests are skipped"
