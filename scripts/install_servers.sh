#!/bin/sh
# Makes sure that the tests have a PostgreSQL and an nginx of their own to start.
# Takes what is there; else, as root on Debian, the distribution's packages. Without them their
# tests are skipped, but on CI.
set -u

missing=""
[ -n "$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] || command -v initdb >/dev/null || missing="postgresql"
command -v nginx >/dev/null || [ -x /usr/sbin/nginx ] || missing="$missing nginx-light"
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "    installing Debian's $missing"
    # The package would start a server of its own, which nobody here asks for.
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] \
        || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    apt-get update -qq >/dev/null
    # shellcheck disable=SC2086 # several packages
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null && exit 0
fi
echo "    note: no $missing; the tests that need it are skipped"
