#!/usr/bin/env bash
# What does not grow: the rate and the memory of one run of very many files, the rate into a store of years, the start
# of commands and of a daemon on it, and a look at an inbox of very many files.
#
#   benches/large.sh [SIMDROP] [FILES] [DIR]     DIR: a store of years (cargo bench --bench big_store); it gets a run more
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
files="${2:-1000000}"
large="${3:+$(realpath "$3")}"

. "$(dirname "$(realpath "$0")")/place.sh"

row() { printf '%-58s %s\n' "$@"; }
# FOLDER FILES FIRST
inputs() {
  mkdir -p "$1"
  awk -v files="$2" -v first="$3" -v folder="$1" 'BEGIN {
    for (n = 1; n <= files; n++) {
      file = folder "/" n ".in"
      printf "1\n%d %d %d 99\n", first + n, n * 7919 % 4294967296, n * 104729 % 4294967296 >file
      close(file)
    }
  }'
}
# Milliseconds that half and nineteen of twenty of forty starts take at most.
start_of() {
  for _ in {1..40}; do took "$@"; done | sort -n |
    awk '{ at[NR] = $1 / 1000 } END { printf "%.1f ms, p95 %.1f ms\n", at[20], at[38] }'
}
serving() { "$simdrop" serve "$@" 2>log & daemon=$!; until grep -q serving log; do sleep 0.002; done; }
stop() { kill -TERM "$daemon"; wait "$daemon" || true; daemon=""; }

inputs files "$files" 0
"$simdrop" run files --json >/dev/null 2> >(while read -r line; do echo "$(micros) $line"; done >progress) &
run=$!
peak=0
while [ -e "/proc/$run/status" ]; do
  peak="$(awk -v peak="$peak" '/VmHWM/ { peak = $2 } END { print peak }' "/proc/$run/status" 2>/dev/null || echo "$peak")"
  sleep 0.1
done
wait "$run"
# Rates between the lines nearest to the ends of a tenth.
tenth() {
  awk -v from="$1" -v to="$2" '/ of .* cases/ {
    gsub(",", "")
    if ($2 <= from || !begun) { begun = $1; first = $2 }
    if ($2 <= to) { ended = $1; last = $2 }
  } END { printf "%.0f", (last - first) * 1e6 / (ended - begun) }' progress
}
second="$(tenth $((files / 10)) $((files / 5)))"
last="$(tenth $((files * 9 / 10)) "$files")"
row "$files files: files a second, second tenth" "$second"
row "  last tenth, and its ratio" "$last $(awk -v a="$last" -v b="$second" 'BEGIN { printf "%.2f", a / b }')"
row "  memory" "$((peak / 1024)) MiB, $(((peak * 1024 - (100 << 20)) / files)) bytes a name above 100 MiB"
rm -rf state

mkdir -p state/inbox
mv files state/inbox/
SIMDROP_INBOX__QUIET_FOLDER=1h serving
from="$(micros)"
until "$simdrop" status | grep -q settling; do sleep 0.05; done
row "a look at an inbox with a folder of $files files" "$((($(micros) - from) / 1000)) ms"
stop
mv state/inbox/files .
find files -type f -print0 | xargs -0 mv -t state/inbox
SIMDROP_INBOX__QUIET_FILE=1h serving
from="$(micros)"
until "$simdrop" status | grep -q settling; do sleep 0.05; done
row "a look at an inbox of $files files" "$((($(micros) - from) / 1000)) ms"
stop
rm -rf state files

inputs batch 50000 0
small="$(took "$simdrop" run batch --json)"
row "50,000 files into a new store" "$((small / 1000)) ms"
[ -n "$large" ] || exit 0
rm -rf batch
inputs batch 50000 "$(date +%s)"
export SIMDROP_STATE="$large"
many="$(took "$simdrop" run batch --json)"
row "  into $large, and the ratio of rates" "$((many / 1000)) ms $(awk -v a="$small" -v b="$many" 'BEGIN { printf "%.2f", a / b }')"
row "start of list runs --limit 1 there" "$(start_of "$simdrop" list runs --limit 1)"
row "start of show latest" "$(start_of "$simdrop" show latest)"
row "start of store info" "$(start_of "$simdrop" store info)"
from="$(micros)"
serving
row "start of the daemon there" "$((($(micros) - from) / 1000)) ms"
stop
