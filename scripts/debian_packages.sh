# Debian packages, for the other scripts: `. scripts/debian_packages.sh`.

# Installs packages where this is root on Debian; returns 1 where it is not, or when that failed.
install_packages() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "    installing Debian's $*"
    apt-get update -qq >/dev/null
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

# Prints the line that installs packages, for somebody who may.
packages_line() {
    echo "    sudo apt-get install --no-install-recommends $*"
}
