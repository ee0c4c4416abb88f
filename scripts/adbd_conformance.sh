#!/bin/sh
# Compares the phone of tapwright_adb_simulator with Android's own adbd, which Debian packages from
# trixie on. Needs root: a small Debian goes to $2 (295 MB, once), and adbd runs in it, in a network
# of its own, as it listens on every address and asks nobody for a key.
set -eu
case "${1:-}" in -h | --help) sed -n '/^#!/d; /^#/!q; s/^# //p' "$0"; exit ;; esac
python=$1
root=$2

[ "$(id -u)" = 0 ] || { echo "adbd needs root: it runs in a chroot and a network of its own"; exit 2; }
if ! command -v debootstrap >/dev/null; then
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends debootstrap >/dev/null
fi
if [ ! -e "$root/.complete" ]; then
    echo "==> Debian trixie with adbd into $root"
    mkdir -p "$(dirname "$root")"
    debootstrap --variant=minbase --include=adbd trixie "$root" >"$root.log" 2>&1
    touch "$root/.complete"
fi
# Without terminals of its own it starts nothing but version 2 of its shell.
exec unshare --net --mount -- sh -c '
    ip link set lo up
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
    mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
    exec "$0" scripts/adbd_conformance.py "$1"
' "$python" "$root"
