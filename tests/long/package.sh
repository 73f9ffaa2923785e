#!/usr/bin/env bash
# Installs the package in a clean root and lives with it: nothing starts unasked, `serve` runs from its installed unit
# as its user, somebody of the group drops a folder, and somebody else asks for the results while the daemon is up,
# stopped and killed; an upgrade keeps the store and the settings, and so does a purge the store. Then systemd looks at
# the units. Needs root, debootstrap and the network once (ROOT keeps the clean root for the next time).
#
#   tests/long/package.sh [DEB] [NEWER-DEB] [ROOT]
#
# Without packages it builds both by config/deb/build.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" -eq 0 ] || { echo "SKIPPED: only root can install a package"; exit 0; }
for tool in debootstrap dpkg setpriv systemd-analyze; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 0; }
done

place="$(mktemp -d)"
root="$place/root"
daemon=
end() {
  [ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null || true
  for below in proc dev; do mountpoint -q "$root/$below" && umount "$root/$below"; done
  rm -rf "$place"
}
trap end EXIT

# VERSION: builds the package; says where it is.
build() {
  config/deb/build.sh --deb-version "$1" --output "$place/$1.deb" >&2
  echo "$place/$1.deb"
}
deb="${1:-$(build 0.0.1-1)}"
newer="${2:-$(build 0.0.2-1)}"
clean="${3:-}"

if [ -z "$clean" ]; then clean="$place/clean"; fi
if [ ! -e "$clean/etc/debian_version" ]; then
  debootstrap --variant=minbase --include=systemd,procps bookworm "$clean" >"$place/log" 2>&1 || {
    tail -5 "$place/log"
    echo "SKIPPED: no clean root can be made"
    exit 0
  }
fi
cp -a "$clean" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"

failed=0
# WHAT COMMAND...: says whether it holds.
holds() {
  local what="$1"
  shift
  if "$@" >"$place/said" 2>&1; then echo "  ok      $what"; else
    echo "  FAILED  $what"
    sed 's/^/          /' "$place/said" | head -20
    failed=1
  fi
}
inside() { chroot "$root" "$@"; }
# USER COMMAND...: as somebody, with no more of an environment than a login has.
as() {
  local user="$1"
  shift
  inside setpriv --reuid="$user" --regid="$user" --init-groups \
    env -i PATH=/usr/bin:/bin HOME=/nonexistent LANG=C.UTF-8 SIMDROP_STATE=/var/lib/simdrop "$@"
}
unit="$root/usr/lib/systemd/system/simdrop.service"
# The last value of a key of the unit.
key() { sed -n "s/^$1=//p" "$unit" | tail -1; }

echo "installed in a clean root"
cp "$deb" "$root/simdrop.deb"
cp "$newer" "$root/newer.deb"
holds "dpkg takes it" inside dpkg -i /simdrop.deb
holds "the program says its version" inside simdrop --version
user="$(key User)"
group="$(key Group)"
holds "the user of the unit is there" inside id "${user:-root}"
holds "STATE is the user's, and others may not look" \
  test "$(inside stat -c '%U:%G %a' /var/lib/simdrop)" = "$user:${group:-$user} 2750"
for below in inbox requests; do
  holds "$below takes what the group drops" \
    test "$(inside stat -c '%U:%G %a' "/var/lib/simdrop/$below")" = "$user:${group:-$user} 3770"
done
holds "nothing runs" bash -c "! ls -l /proc/[0-9]*/root 2>/dev/null | grep -q '$root\$'"
holds "nothing is enabled" bash -c "! find '$root/etc/systemd' -name 'simdrop*' | grep ."
holds "manual pages, completions and documentation" inside sh -c \
  'ls /usr/share/man/man1/simdrop.1.gz /usr/share/man/man1/simdrop-run.1.gz \
      /usr/share/bash-completion/completions/simdrop /usr/share/zsh/vendor-completions/_simdrop \
      /usr/share/fish/vendor_completions.d/simdrop.fish /usr/share/doc/simdrop/copyright'
holds "the settings are read, and none is changed" bash -c \
  "chroot '$root' simdrop doctor --config | grep -q '/etc/simdrop/config.toml' &&
   ! chroot '$root' simdrop doctor --config | grep -q 'config.toml:'"

echo "systemd looks at the units"
holds "systemd-analyze verify says nothing" bash -c \
  "said=\$(systemd-analyze verify --man=no --root='$root' simdrop.service simdrop-verify.service simdrop-verify.timer 2>&1)
   printf '%s\n' \"\$said\" && ! grep -q simdrop <<<\"\$said\""
systemd-analyze security --offline=true --root="$root" simdrop.service 2>&1 | tail -1 | sed 's/^[^[:alnum:]]*/  /'
exposure="$(systemd-analyze security --offline=true --root="$root" simdrop.service 2>/dev/null |
  sed -n 's/.*exposure level for simdrop.service: \([0-9.]*\).*/\1/p')"
holds "the exposure is below 1.0" awk -v it="${exposure:-9}" 'BEGIN { exit !(it < 1.0) }'

# What systemd would do for the unit: the user, its state directory, its mask, the variables, the command.
start() {
  mapfile -t variables < <(sed -n 's/^Environment=//p' "$unit" | tr ' ' '\n')
  (
    umask "$(key UMask)"
    # shellcheck disable=SC2046
    exec chroot "$root" setpriv --reuid="$user" --regid="${group:-$user}" --init-groups --no-new-privs \
      env -i PATH=/usr/bin:/bin "STATE_DIRECTORY=/var/lib/$(key StateDirectory)" "${variables[@]}" \
      $(key ExecStart)
  ) >>"$place/daemon" 2>&1 &
  daemon=$!
  until_says "the daemon serves" '^well' as reader simdrop status
}
# WHAT PATTERN COMMAND...: waits until a command says something.
until_says() {
  local what="$1" pattern="$2" tries=0
  shift 2
  until "$@" 2>&1 | grep -q "$pattern"; do
    tries=$((tries + 1))
    [ "$tries" -lt 300 ] || { echo "  FAILED  never: $what"; tail -5 "$place/daemon"; exit 1; }
    sleep 0.1
  done
  echo "  ok      $what"
}
stop() {
  kill "-$1" "$daemon"
  local code=0
  wait "$daemon" 2>/dev/null || code=$?
  daemon=
  if [ "$1" = TERM ]; then holds "it ends with 0" test "$code" -eq 0; fi
}
# Of the first run: the newest may have been killed before any case of it was played.
asks() {
  until_says "$1: a reader gets the results" "\"total\":$2" as reader simdrop list -o jsonl
  holds "$1: and a case with its output" as reader simdrop show 1/1 --output
  holds "$1: and may not write" bash -c \
    "! chroot '$root' setpriv --reuid=reader --regid=reader --init-groups touch /var/lib/simdrop/x"
}

echo "three people"
for person in dropper reader stranger; do inside useradd --no-create-home "$person"; done
for person in dropper reader; do inside usermod -aG "${group:-$user}" "$person"; done
mkdir -p "$root/data/games"
cp examples/thunder-bluff/*.in examples/thunder-bluff/*.ans "$root/data/games"
inputs="$(find "$root/data/games" -name '*.in' | wc -l)"
start
as dropper sh -c 'umask 022; cp -r /data/games /var/lib/simdrop/inbox/copied'
asks up "$inputs"
holds "up: a stranger gets nothing" bash -c "! chroot '$root' setpriv --reuid=stranger --regid=stranger --clear-groups \
  env -i PATH=/usr/bin SIMDROP_STATE=/var/lib/simdrop simdrop list"
holds "up: the dropper hands over, too" as dropper simdrop run /data/games
stop TERM
asks stopped "$inputs"
start
as dropper sh -c 'cp -r /data/games /var/lib/simdrop/inbox/again'
until_says "the second drop is taken in" 'inbox/again' as reader simdrop list -o jsonl
stop KILL
asks killed "$inputs"

echo "upgraded and removed"
echo 'jobs = 1 # kept' >"$place/line"
cat "$root/etc/simdrop/config.toml" >>"$place/line"
cp "$place/line" "$root/etc/simdrop/config.toml"
runs="$(as reader simdrop list -o jsonl | wc -l)"
holds "dpkg upgrades without a question" inside dpkg -i /newer.deb
holds "it is the newer one" bash -c "chroot '$root' dpkg-query -W -f '\${Version}' simdrop | grep -qx '$(dpkg-deb -f "$newer" Version)'"
holds "the settings are as they were" grep -q 'jobs = 1 # kept' "$root/etc/simdrop/config.toml"
holds "the store is as it was" test "$(as reader simdrop list -o jsonl | wc -l)" -eq "$runs"
start
stop TERM
holds "nothing differs after the upgrade" as "$user" simdrop verify --sample 100%
holds "dpkg purges it" inside dpkg -P simdrop
holds "the program and the settings are gone" bash -c "! ls '$root/usr/bin/simdrop' '$root/etc/simdrop/config.toml'"
holds "the results are not" test -s "$root/var/lib/simdrop/store.db"
exit "$failed"
