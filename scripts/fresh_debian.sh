#!/usr/bin/env bash
# Tries what README promises on a machine that has nothing: a minimal Debian made for the purpose, an
# ordinary user with an empty home and an empty temporary directory, a clean clone of HEAD.
set -euo pipefail

usage() {
    cat <<'END'
scripts/fresh_debian.sh [options]: run `make demo`, `make test` and the wheel in an empty Debian

  --release NAME   bookworm (default) or trixie
  --steps LIST     comma-separated, run in this order: demo, test, test-all, wheel
                   (default: demo,test,wheel)
  --run COMMAND    run this shell command in the clone instead of the steps
  --keep DIR       build the system in DIR and leave it there; a later run takes it as it is, with
                   the packages that were installed, but with a new user and an empty /tmp
  --out DIR        copy demo-out and the log of the steps there

Needs root, and a machine on which debootstrap, chroot and mount work. Takes about 0.5 GB and a minute for
the system, 7 GB with everything that `make test` installs. The empty system is kept for a month as an archive
in ~/.cache/tapwright, and taken from there. Mirror, certificates, proxies and the
settings of pip and npm are those of this machine; nothing else of it is seen.
END
}

# What README takes for granted. Everything else is installed by make, or asked for by its message.
packages=ca-certificates,git,make,python3,python3-venv
user=newcomer
repository=$(cd "$(dirname "$0")/.." && pwd)

fail() { echo "fresh_debian: $*" >&2; exit 1; }

# ---- outside: options, a mount and process namespace of our own, and its removal ----------------

main() {
    release=bookworm steps=demo,test,wheel command="" keep="" out=""
    while [ $# -gt 0 ]; do
        case $1 in
            --release) release=$2; shift 2 ;;
            --steps) steps=$2; shift 2 ;;
            --run) command=$2; shift 2 ;;
            --keep) keep=$2; shift 2 ;;
            --out) out=$2; shift 2 ;;
            -h | --help) usage; exit 0 ;;
            *) usage >&2; exit 2 ;;
        esac
    done
    case $release in bookworm | trixie) ;; *) fail "unknown release $release; expected bookworm or trixie" ;; esac
    for step in ${steps//,/ }; do
        case $step in demo | test | test-all | wheel) ;; *) fail "unknown step $step" ;; esac
    done
    [ "$(id -u)" = 0 ] || fail "needs root, for debootstrap and chroot"
    unshare --mount --pid --fork true 2>/dev/null \
        || fail "unshare is not permitted here; run it where mounting is (for Docker: --privileged)"
    if ! command -v debootstrap >/dev/null; then
        apt-get update -qq >/dev/null
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends debootstrap >/dev/null
    fi
    system=${keep:-$(mktemp -d "${TMPDIR:-/tmp}/fresh-$release-XXXXXX")}
    mkdir -p "$system"
    chmod 755 "$system" # it is the root directory of an ordinary user
    system=$(cd "$system" && pwd)
    [ -n "$keep" ] || trap 'rm -rf "$system" "$system.log" "$system.step.log"' EXIT
    trap 'exit 143' INT TERM
    [ -z "$out" ] || { mkdir -p "$out"; out=$(cd "$out" && pwd); }
    # Mounts and processes end with the namespaces, however this ends.
    status=0
    unshare --mount --pid --fork --kill-child --mount-proc \
        env release="$release" steps="$steps" command="$command" system="$system" out="$out" \
        bash "$repository/scripts/fresh_debian.sh" --inside || status=$?
    exit $status
}

# ---- inside the namespaces ---------------------------------------------------------------------

inside() {
    build
    mount_system
    copy_settings
    in_system apt-get update -qq >/dev/null
    make_user
    result=0
    if [ -n "$command" ]; then
        as_user "$command" || result=$?
    else
        for step in ${steps//,/ }; do
            begun=$SECONDS
            echo "==> $release: $step"
            if "step_${step//-/_}"; then
                summary+="$release $step: passed in $((SECONDS - begun)) s"$'\n'
            else
                summary+="$release $step: FAILED after $((SECONDS - begun)) s"$'\n'
                result=1
            fi
        done
        printf '\n%s' "$summary"
    fi
    if [ -n "$out" ] && [ -d "$system/home/$user/clone/demo-out" ]; then
        rm -rf "$out/demo-$release"
        cp -r "$system/home/$user/clone/demo-out" "$out/demo-$release"
    fi
    return $result
}
summary=""

build() {
    [ ! -e "$system/etc/fresh-complete" ] || return 0
    echo "==> $release: a minimal Debian in $system"
    mirror=$(of_machine_sources | awk '!/security/ {print $1; exit}')
    [ -n "$mirror" ] || fail "no Debian archive in /etc/apt/sources.list or sources.list.d"
    kept=${XDG_CACHE_HOME:-$HOME/.cache}/tapwright/debian-$release-$(date +%Y-%m)-$(echo "$packages" | cksum | cut -d' ' -f1).tar
    if [ -e "$kept" ]; then
        tar -xpf "$kept" -C "$system"
    else
        debootstrap --variant=minbase --include="$packages" "$release" "$system" "$mirror" \
            >"$system.log" 2>&1 \
            || { tail -n 5 "$system.log" >&2; fail "debootstrap failed; its log is $system.log"; }
        mkdir -p "$(dirname "$kept")"
        part=$(mktemp "$kept.XXXXXX") # whole, or not there
        if tar -cpf "$part" -C "$system" .; then mv "$part" "$kept"; else rm -f "$part"; fi
    fi
    # The machine's sources, of the release that is built.
    : >"$system/etc/apt/sources.list"
    of_machine_sources | while read -r address suite components; do
        echo "deb $address ${suite/$(. /etc/os-release; echo "$VERSION_CODENAME")/$release} $components"
    done >>"$system/etc/apt/sources.list"
    touch "$system/etc/fresh-complete"
}

# The Debian archives that this machine uses: address, suite and components, one a line.
of_machine_sources() {
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$file" ] || sed -nE 's/^deb +(\[[^]]*\] +)?([^ ]*debian[^ ]*) +([^ ]+) +(.*)/\2 \3 \4/p' "$file"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || awk '
            function flush(  n, i, all) {
                n = split(suites, all, " ")
                for (i = 1; i <= n; i++) if (address ~ /debian/) print address, all[i], components
                suites = ""
            }
            /^URIs:/ { address = $2 }
            /^Suites:/ { sub(/^Suites: */, ""); suites = $0 }
            /^Components:/ { sub(/^Components: */, ""); components = $0 }
            /^ *$/ { flush() }
            END { flush() }' "$file"
    done
}

mount_system() {
    mount --make-rprivate /
    mount -t proc proc "$system/proc" \
        && mount --rbind /sys "$system/sys" \
        && mount --rbind /dev "$system/dev" \
        && mount -t tmpfs tmpfs "$system/dev/shm" \
        && mount -t tmpfs -o mode=1777 tmpfs "$system/run" \
        || fail "mounting is not permitted here (for Docker: --privileged)"
}

copy_settings() {
    cp -L /etc/resolv.conf /etc/hosts "$system/etc/"
    if [ -e /etc/ssl/certs/ca-certificates.crt ]; then
        cp -L /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/ca-certificates.crt"
    fi
    for file in /etc/pip.conf /etc/npmrc /usr/etc/npmrc /etc/apt/apt.conf.d/*prox* /etc/apt/apt.conf.d/*cert*; do
        [ ! -e "$file" ] || install -D "$file" "$system$file"
    done
}

make_user() {
    in_system userdel --remove --force "$user" 2>/dev/null || true
    rm -rf "$system/home/$user"
    find "$system/tmp" "$system/var/tmp" -mindepth 1 -delete
    in_system useradd --create-home "$user"
    git -c safe.directory='*' clone --quiet --no-hardlinks "$repository" "$system/home/$user/clone"
    in_system chown -R "$user:" "/home/$user/clone"
}

# The settings of network, pip and npm, for `env`.
settings() {
    env | grep -E '^(PIP_(CERT|INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES)|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|(https?|no)_proxy|(HTTPS?|NO)_PROXY|npm_config_(registry|cafile)|CI)=' || true
}

in_system() {
    mapfile -t passed < <(settings)
    chroot "$system" /usr/bin/env -i "${passed[@]}" PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

as_user() {
    mapfile -t passed < <(settings)
    chroot "$system" /usr/sbin/runuser -u "$user" -- /usr/bin/env -i "${passed[@]}" \
        PATH=/usr/local/bin:/usr/bin:/bin HOME="/home/$user" USER="$user" LANG=C.UTF-8 TMPDIR= \
        /bin/sh -c "unset TMPDIR; cd ~/${directory:-clone} && $1" </dev/null
}

# Runs a command as the user. Where it ends by asking for Debian packages, installs as root what its
# message says, and nothing else, and runs it again: the message is then proved to be enough.
with_packages() {
    log=$system.step.log
    for _ in 1 2 3 4; do
        as_user "$1" 2>&1 | tee "$log" && return 0
        wanted=$(sed -nE 's/^.*(apt-get install [a-z0-9 .+-]+).*$/\1/p' "$log" | tail -n 1)
        [ -n "$wanted" ] || return 1
        echo "==> $release: as root: $wanted"
        # shellcheck disable=SC2086 # several packages
        in_system ${wanted/install/install -qq -y --no-install-recommends} >/dev/null || return 1
        [ "$wanted" != "${last:-}" ] || return 1
        last=$wanted
    done
    return 1
}

step_demo() { with_packages "make demo"; }
step_test() { with_packages "make test"; }
step_test_all() { with_packages "make test-all"; }

# README's own lines: the wheel is built in the clone and installed, and then used where the clone is
# not to be seen. What it asks for is there before, as locks/ says it, so that pip fetches nothing.
step_wheel() {
    mapfile -t lines < <(cd "$system/home/$user/clone" && sed -n '/^    make wheel$/,/^$/s/^    //p' README.md)
    with_packages "${lines[0]}" || return 1
    as_user "rm -rf ~/wheel && mkdir ~/wheel && cp -r tests/golden/mobiagent ~/wheel && python3 -m venv ~/lab \
        && . ~/lab/bin/activate \
        && pip install --quiet --require-hashes --no-deps -r locks/core.txt -r locks/browser.txt \
        && PIP_NO_INDEX=1 ${lines[1]}" || return 1
    chmod 000 "$system/home/$user/clone"
    wheel_alone
    status=$?
    chmod 755 "$system/home/$user/clone"
    return $status
}

wheel_alone() {
    directory=wheel
    with_packages ". ~/lab/bin/activate && tapwright doctor" || return 1
    # Some tasks, as `make demo` has done them all.
    with_packages ". ~/lab/bin/activate && ${lines[2]} --tasks 5" || return 1
    # The first hour of who measures a model, and the first step of who has recordings.
    as_user ". ~/lab/bin/activate && tapwright init lab && cd lab && tapwright record --agent script --limit 3 \
        && tapwright eval make -o bench && tapwright eval run l2 --data bench -m tree && tapwright report \
        && tapwright episodes import ../mobiagent/data -o imported" || return 1
    directory=clone
}

if [ "${1:-}" = --inside ]; then inside; else main "$@"; fi
