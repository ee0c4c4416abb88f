#!/bin/sh
# Makes sure that slow tests have the spreadsheet and the word processor of the desktop: 400 MB.
# Takes what is there; else, as root on Debian, the distribution's packages. Without them their tests
# are skipped, but on CI.
set -u
case "${1:-}" in -h | --help) sed -n '/^#!/d; /^#/!q; s/^# //p' "$0"; exit ;; esac
. scripts/debian_packages.sh

command -v localc >/dev/null && command -v lowriter >/dev/null && exit 0
set -- libreoffice-calc libreoffice-writer libreoffice-gtk3
install_packages "$@" && exit 0
echo "    note: the tests that need LibreOffice are skipped; on Debian and Ubuntu:"
packages_line "$@"
