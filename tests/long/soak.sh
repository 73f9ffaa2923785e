#!/usr/bin/env bash
# A long life in little time: files, folders, copies, hand-overs and rubbish are dropped while people ask, and the
# daemon is killed, told to read its settings again, given a full disk and a clock that jumps. At the end
# nothing is lost and nothing done twice; no daemon has more memory or descriptors at the end of its life than near
# its begin, and the log of the database never grew beyond its bound. The suite has a short form of this in
# tests/suite/soak.rs.
#
#   tests/long/soak.sh [SIMDROP] [SECONDS] [LIVES]
#
# The full disk needs root, for a file system of its own, and the clock needs libfaketime; what cannot be had is
# said and left out. Who looks for what was lost finds all in the folder that KEEP=yes leaves.
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
seconds="${2:-1800}"
lives="${3:-6}"
life_ms=$((seconds * 1000 / lives))

place="$(mktemp -d)"
disk="$place/disk"
daemon="" people=()
end() {
  for child in "${people[@]}" $daemon; do kill -9 "$child" 2>/dev/null || true; done
  wait 2>/dev/null || true
  [ -z "${KEEP:-}" ] || { echo "kept: $place"; return; }
  umount "$disk" 2>/dev/null || true
  rm -rf "$place"
}
trap end EXIT
export HOME="$place" SIMDROP_STATE="$disk/state" LC_ALL=C
inbox="$SIMDROP_STATE/inbox"
mkdir "$disk"
may_fill=yes
if [ "$(id -u)" != 0 ] || ! mount -t tmpfs -o "size=$((256 + 2 * seconds))m" soak "$disk" 2>/dev/null; then
  echo "SKIPPED: the full disk: a file system of its own needs root"
  may_fill=""
fi
faketime="$(find /usr/lib -name libfaketime.so.1 2>/dev/null | head -1)"
clock=()
if [ -n "$faketime" ]; then
  clock=("LD_PRELOAD=$faketime" "FAKETIME_TIMESTAMP_FILE=$place/clock" FAKETIME_NO_CACHE=1
    FAKETIME_DONT_FAKE_MONOTONIC=1 NO_FAKE_STAT=1)
else
  echo "SKIPPED: the clock: libfaketime is not installed"
fi
mkdir -p "$inbox" "$disk/making"
echo +0 >"$place/clock"
touch "$place/cases" "$place/doubtful" "$place/rubbish" "$place/drops" "$place/log"

fail() { echo "FAILED: $1"; tail -20 "$place/log"; exit 1; }
now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }
some_time() { sleep "$(awk -v most="$1" -v r="$RANDOM" 'BEGIN { printf "%.3f", most * r / 32768 }')"; }
# Waits until a command succeeds, but not for ever.
wait_for() {
  local what="$1" from="$SECONDS"
  shift
  until "$@" >/dev/null 2>&1; do
    kill -0 "$daemon" 2>/dev/null || fail "$what: the daemon ended"
    [ $((SECONDS - from)) -lt 120 ] || fail "$what: not within two minutes"
    sleep 0.05
  done
}
# Somebody on the same machine, with the daemon's clock.
simdrop() { env "${clock[@]}" "$simdrop" "$@"; }
says_status() { local code=0; simdrop status || code=$?; [ "$code" = "$1" ]; }

settings() {
  printf '%s\n' "jobs = $1" '[inbox]' 'quiet_folder = "2s"' 'empty_file = "1s"' 'rescan = "2s"' \
    '[serve]' 'probe = "500 ms"' 'drain = "2s"' >"$place/settings.new"
  mv "$place/settings.new" "$place/settings.toml"
}
start() {
  env MALLOC_ARENA_MAX=2 "${clock[@]}" "$simdrop" serve -v --config "$place/settings.toml" 2>>"$place/log" &
  daemon=$!
}
begin_life() { start; wait_for "the start" says_status 0; }

# Somebody drops inputs that nobody dropped before, each with a number of its own for a name.
input() { printf '1\n%d %d %d 99\n' "$1" $(($1 * 7919 % 4294967296)) $(($1 * 104729 % 4294967296)); }
folder() {
  mkdir "$disk/making/d$n"
  made="$disk/making/d$n"
  for ((i = 0; i < $1; i++)); do
    n=$((n + 1))
    input "$n" >"$made/$n.in"
    echo "$n" >>"$place/cases"
  done
}
drop_one() {
  n=$((n + 1))
  case "$1" in
  file) input "$n" >"$disk/making/$n.in"; mv "$disk/making/$n.in" "$inbox"; echo "$n" >>"$place/cases" ;;
  written) input "$n" >"$inbox/$n.in"; echo "$n" >>"$place/cases" ;;
  folder) folder 20; mv "$made" "$inbox" ;;
  copy) folder 5; cp -r "$made" "$inbox"; rm -r "$made" ;;
  handed)
    input "$n" >"$disk/making/$n.in"
    if simdrop run --detach "$disk/making/$n.in" >/dev/null 2>&1; then
      echo "$n" >>"$place/cases"
    else # the daemon went away, and nobody knows whether it was taken
      mv "$disk/making/$n.in" "$inbox"
      echo "$n" >>"$place/doubtful"
    fi
    rm -f "$disk/making/$n.in"
    ;;
  rubbish) ln -s /etc/passwd "$inbox/link$n"; echo "$n" >>"$place/rubbish" ;;
  esac
}
drop() {
  local kinds=(file file file written folder copy handed rubbish)
  n=0
  while [ ! -e "$place/enough" ]; do
    # Nobody drops while the disk is full: what they write would be cut short.
    exec 9<"$place/drops"
    flock 9
    drop_one "${kinds[RANDOM % 8]}" 9<&-
    exec 9<&-
    some_time 0.1
  done
}

# Somebody asks, whatever happens.
ask() {
  local questions=("list" "list cases verdict:NOREF --limit 50" "list games winner:1" "stats" "stats --by day" "show latest"
    "compare -2 -1" "doctor") question code
  while [ ! -e "$place/enough" ]; do
    question="${questions[RANDOM % ${#questions[@]}]}"
    code=0
    # shellcheck disable=SC2086
    simdrop $question >"$place/answer" 2>&1 || code=$?
    case "$code" in
    0 | 1 | 3 | 4) ;;
    *) echo "simdrop $question: $code: $(tail -1 "$place/answer")" >>"$place/wrong" ;;
    esac
    some_time 0.5
  done
}

# `status` would tell it after a minute: what a daemon with a full disk last wrote is that all is well.
is_told_of() { tail -n "+$(($1 + 1))" "$place/log" | grep -q "disk is full\|No space left"; }
full_disk() {
  [ -n "$may_fill" ] || return 0
  exec 8<"$place/drops"
  flock 8
  full="$disk/making/full$large"
  mkdir "$full"
  for ((i = 0; i < 500; i++)); do
    input "$large" >"$full/$large.in"
    echo "$large" >>"$place/cases"
    large=$((large + 1))
  done
  lines="$(wc -l <"$place/log")"
  dd if=/dev/zero of="$disk/filler" bs=1M status=none 2>/dev/null || true
  mv "$full" "$inbox"
  wait_for "a full disk is seen" is_told_of "$lines"
  rm "$disk/filler"
  wait_for "a disk with room is seen" says_status 0
  exec 8<&-
}
jump() { [ -z "$faketime" ] || { echo "$1" >"$place/clock"; some_time 1; }; }
reload() {
  settings "$((1 + RANDOM % 4))"
  kill -HUP "$daemon"
  some_time 1
  echo 'garbage = [' >>"$place/settings.toml"
  kill -HUP "$daemon"
  some_time 1
  settings 2
  kill -HUP "$daemon"
  wait_for "the settings are well again" says_status 0
}
memory() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$daemon/status"; }
# As many as are open between two pieces of work: the least of ten looks.
descriptors() {
  for _ in {1..10}; do
    find "/proc/$daemon/fd" -mindepth 1 -maxdepth 1 | wc -l
    sleep 0.1
  done | sort -n | head -1
}
watch_wal() {
  local size
  size="$(stat -c %s "$SIMDROP_STATE/store.db-wal" 2>/dev/null || echo 0)"
  [ "$size" -le "$wal" ] || wal="$size"
}
wal=0 large=1000000000

live() {
  local from begun_memory begun_descriptors
  from="$(now_ms)"
  begin_life
  # What a daemon needs for its work it has after a round of everything.
  trouble
  begun_memory="$(memory)"
  begun_descriptors="$(descriptors)"
  while [ $(($(now_ms) - from)) -lt "$life_ms" ]; do trouble; done
  wait_for "it is well" says_status 0
  local memory_now descriptors_now
  memory_now="$(memory)"
  descriptors_now="$(descriptors)"
  echo "life $life: $(wc -l <"$place/cases") inputs dropped; memory $begun_memory to $memory_now MiB," \
    "descriptors $begun_descriptors to $descriptors_now, store.db-wal at most $((wal / 1048576)) MiB"
  [ "$memory_now" -le $((begun_memory + begun_memory / 4 + 16)) ] || fail "the memory grew"
  [ "$descriptors_now" -le $((begun_descriptors + 16)) ] || fail "the descriptors grew"
  [ "$wal" -lt 67108864 ] || fail "the log of the database grew"
}
trouble() {
  reload; watch_wal
  jump -2d; watch_wal
  jump +3d; watch_wal
  simdrop pause >/dev/null; some_time 0.5; simdrop resume >/dev/null
  kill -USR1 "$daemon"
  full_disk; watch_wal
  jump +0; watch_wal
}
kill_some() {
  for ((times = 0; times < 5; times++)); do
    kill -9 "$daemon" 2>/dev/null || fail "the daemon ended by itself"
    wait "$daemon" 2>/dev/null || true
    start
    some_time 1
  done
  kill -TERM "$daemon"
  wait "$daemon" 2>/dev/null || true # it may have been told before it listened
}

settings 2
drop & people+=($!)
ask & people+=($!)
for ((life = 1; life <= lives; life++)); do
  live
  kill_some
done
begin_life
touch "$place/enough"
for somebody in "${people[@]}"; do wait "$somebody" || fail "somebody who dropped or asked gave up"; done
people=()
is_idle() {
  [ -z "$(find "$inbox" -mindepth 1 -print -quit)" ] && simdrop status -o json | grep -q '"runs":0,'
}
wait_for "all is done" is_idle
kill -TERM "$daemon"
code=0
wait "$daemon" || code=$?
daemon=""
[ "$code" = 0 ] || fail "the daemon ended with $code"
[ ! -s "$place/wrong" ] || fail "$(cat "$place/wrong")"

simdrop store check >/dev/null || fail "the store is damaged"
simdrop list cases --limit 0 -o csv --columns name,verdict | tr -d '\r' >"$place/all"
awk -F, '$2 == "NOREF" { sub(".*/", "", $1); sub(".in", "", $1); print $1 }' "$place/all" | sort >"$place/found"
cat "$place/cases" "$place/doubtful" | sort >"$place/dropped"
lost="$(sort -u "$place/found" | comm -23 "$place/dropped" - | wc -l)"
twice="$(uniq -d "$place/found" | comm -23 - <(sort "$place/doubtful") | wc -l)"
[ "$lost" = 0 ] || fail "$lost inputs are lost: $(sort -u "$place/found" | comm -23 "$place/dropped" - | head -3 | xargs)"
[ "$twice" = 0 ] || fail "$twice inputs were evaluated twice: $(uniq -d "$place/found" | head -3 | xargs)"
others="$(awk -F, 'NR > 1 && $2 != "NOREF"' "$place/all" | wc -l)"
[ "$others" = 0 ] || fail "$others cases have another verdict"
rejected="$(simdrop list runs --limit 0 -o csv --columns state | grep -c rejected || true)"
[ "$rejected" = "$(wc -l <"$place/rubbish")" ] || fail "$rejected runs were rejected, not $(wc -l <"$place/rubbish")"
echo "$(wc -l <"$place/dropped") inputs: none lost, none twice; $rejected rejected; the log of the database had at most $((wal / 1024)) KiB"
