#!/usr/bin/env bash
# A daemon that is given a lot: many files in one folder, as many one by one, and one file with very many
# games. All is to be done once, in little memory, with few lines in the log, while `status` answers at
# once. The suite has a short form of this in tests/suite/trouble/load.rs.
#
#   tests/long/daemon-many.sh [SIMDROP] [FILES] [GAMES]
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
files="${2:-100000}"
games="${3:-2000000}"
command -v sqlite3 >/dev/null || { echo "SKIPPED: sqlite3 is not installed"; exit 0; }

place="$(mktemp -d)"
export HOME="$place" SIMDROP_STATE="$place/state"
daemon=
trap 'kill $daemon 2>/dev/null || true; wait; rm -rf "$place"' EXIT
failed=0

ask() { sqlite3 -readonly -cmd ".timeout 5000" "$SIMDROP_STATE/store.db" "$1"; }
peak() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$daemon/status"; }
# WHAT IS MOST
most() {
  if [ "$2" -le "$3" ]; then echo "  $1: $2 (at most $3)"; else echo "  FAILED: $1: $2, more than $3"; failed=1; fi
}

start() {
  "$simdrop" serve -v 2>"$place/log" &
  daemon=$!
  until grep -q serving "$place/log"; do sleep 0.05; done
}
stop() {
  kill "$daemon"
  wait "$daemon"
  daemon=
}

# Waits until a query says 1, and measures `status` meanwhile.
until_done() {
  local begun slowest=0 at took
  begun="$(date +%s%N)"
  while [ "$(ask "$1")" != 1 ]; do
    at="$(date +%s%N)"
    "$simdrop" status >/dev/null || { echo "  FAILED: status says $?"; failed=1; }
    took=$((($(date +%s%N) - at) / 1000000))
    [ "$took" -le "$slowest" ] || slowest="$took"
    sleep 0.1
  done
  echo "  done after $((($(date +%s%N) - begun) / 1000000)) ms"
  most "slowest status in ms" "$slowest" 100
}

inputs() {
  mkdir "$place/$1"
  awk -v files="$files" -v first="$2" -v folder="$place/$1" 'BEGIN {
    for (n = 1; n <= files; n++) {
      file = folder "/" n ".in"
      printf "1\n%d %d %d 99\n", first + n, n * 7919 % 4294967296, n * 104729 % 4294967296 >file
      close(file)
    }
  }'
}

echo "$files files in one folder"
inputs folder 0
start
mv "$place/folder" "$SIMDROP_STATE/inbox/"
until_done "SELECT count(*) = 1 FROM runs WHERE state = 3 AND put_away AND written_out"
most "memory in MiB" "$(peak)" 120
stop
most "lines in the log" "$(wc -l <"$place/log")" 100
[ "$(ask "SELECT count(*) FROM cases WHERE verdict = 4 AND NOT cached")" = "$files" ] || { echo "  FAILED: not all once"; failed=1; }

echo "$files files one by one"
inputs files "$files"
start
(cd "$place/files" && find . -type f -print0 | xargs -0 mv -t "$SIMDROP_STATE/inbox") &
writer=$!
until_done "SELECT count(*) = $files + 1 FROM runs WHERE state = 3 AND put_away AND written_out"
wait "$writer"
most "memory in MiB" "$(peak)" 120
stop
most "lines in the log" "$(wc -l <"$place/log")" 100
[ "$(ask "SELECT count(*) FROM cases WHERE verdict = 4 AND NOT cached")" = "$((2 * files))" ] || { echo "  FAILED: not all once"; failed=1; }
most "names left in the inbox" "$(find "$SIMDROP_STATE/inbox" -mindepth 1 | wc -l)" 0

echo "one file with $games games"
awk -v games="$games" 'BEGIN {
  print games
  for (n = 1; n <= games; n++)
    printf "%d %d %d %d\n", n, n * 7919 % 4294967296, n * 104729 % 4294967296, n % 97
}' >"$place/large.in"
start
mv "$place/large.in" "$SIMDROP_STATE/inbox/"
until_done "SELECT count(*) = 2 * 1 + $files FROM runs WHERE state = 3 AND put_away AND written_out"
most "memory in MiB" "$(peak)" 150
stop
[ "$(ask "PRAGMA integrity_check")" = ok ] || { echo "  FAILED: integrity_check"; failed=1; }
exit "$failed"
