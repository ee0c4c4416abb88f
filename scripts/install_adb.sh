#!/bin/sh
# Makes sure that the tests have the program adb. Takes the one on PATH; else, as root on Debian,
# the distribution's package.
set -u

if ! command -v adb >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "    none found, installing Debian's adb"
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends adb >/dev/null
fi
if ! command -v adb >/dev/null; then
    echo "    adb is not on PATH; install Android's platform-tools, or apt-get install adb" >&2
    exit 1
fi
adb --version | head -n 1
