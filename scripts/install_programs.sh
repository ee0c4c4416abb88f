#!/bin/sh
# Makes sure that the tests have the programs that they start: adb, the driver of Playwright with the
# library that its Node is linked to, a PostgreSQL, an nginx and a Caddy of their own, chromedriver, a
# desktop, VNC servers.
# Takes what is there; else, as root on Debian, the distribution's packages. Without PostgreSQL, nginx,
# Caddy, chromedriver and a desktop their tests are skipped, but on CI.
set -u
case "${1:-}" in -h | --help) sed -n '/^#!/d; /^#/!q; s/^# //p' "$0"; exit ;; esac
bin=$1
. scripts/debian_packages.sh

has_driver() { "$bin/python" -m playwright --version >/dev/null 2>&1; }
has_postgres() { command -v initdb >/dev/null || ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1; }
# With the Chromium that it is of one version with.
has_chromedriver() { command -v chromedriver >/dev/null && [ -x /usr/lib/chromium/chromium ]; }
has_nginx() { command -v nginx >/dev/null || [ -x /usr/sbin/nginx ]; }
list_required() {
    command -v adb >/dev/null || echo adb
    has_driver || echo libatomic1
}
has_desktop() { "$bin/tapwright" doctor --check desktop >/dev/null 2>&1; }
has_vnc() { command -v Xtigervnc >/dev/null && command -v x11vnc >/dev/null; }
list_optional() {
    has_desktop || echo xvfb openbox x11-xserver-utils dbus xclip at-spi2-core mousepad galculator \
        pcmanfm lxterminal libatk-adaptor
    has_vnc || echo tigervnc-standalone-server x11vnc
    has_postgres || echo postgresql
    has_nginx || echo nginx-light
    command -v caddy >/dev/null || echo caddy
    has_chromedriver || echo chromium-driver
}

# shellcheck disable=SC2046 # one word for each package
set -- $(list_required) $(list_optional)
[ $# -gt 0 ] || exit 0
if [ "$(id -u)" = 0 ]; then
    # The package would start a server of its own, which nobody here uses.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] \
        || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
fi
install_packages "$@"

if [ -n "$(list_required)" ]; then
    echo "    the tests start programs that are not installed here; on Debian and Ubuntu:" >&2
    packages_line "$@" >&2
    echo "    then run make again" >&2
    has_driver || "$bin/python" -m playwright --version 2>&1 | tail -n 3 >&2
    exit 1
fi
if [ -n "$(list_optional)" ]; then
    echo "    note: the tests that need $(list_optional | tr '\n' ' ')are skipped; on Debian and Ubuntu:"
    # shellcheck disable=SC2046 # one word for each package
    packages_line $(list_optional)
fi
