#!/usr/bin/env bash
# The whole way, as whole processes: inputs in, results stored. Each rate stands beside the one of a plain program
# (benches/plain.py) that was measured just before it, because seconds are noisy and ratios less so.
#
#   benches/end_to_end.sh [SIMDROP] [FILES] [SEEDS]
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
files="${2:-50000}"
seeds="${3:-2000000}"
benches="$(dirname "$(realpath "$0")")"
plain="$benches/plain.py"
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 0; }

. "$benches/place.sh"

rate() { awk -v n="$1" -v us="$2" 'BEGIN { printf "%.0f", n * 1e6 / us }'; }
# NAME RATE REFERENCE
row() { awk -v name="$1" -v rate="$2" -v plain="$3" 'BEGIN { printf "%-44s %10d/s %8.2f\n", name, rate, rate / plain }'; }

printf '%-44s %12s %8s\n' "$files files of one game" rate ratio
reference="$("$plain" batch "$files")"
row "a plain program: read, insert" "$reference" "$reference"
row "run FOLDER, into a new store" "$(rate "$files" "$(took "$simdrop" run batch --json)")" "$reference"
row "run FOLDER again: answered from the store" "$(rate "$files" "$(took "$simdrop" run batch --json)")" "$reference"
rm -rf batch state

reference="$("$plain" batch "$files")"
mkdir -p state/inbox
SIMDROP_SERVE__OUT=false "$simdrop" serve 2>log &
daemon=$!
until "$simdrop" status >/dev/null 2>&1; do sleep 0.05; done
dropped() {
  mv batch state/inbox/
  until [ "$("$simdrop" list runs --limit 1 -o csv --columns state 2>/dev/null | tail -1 | tr -d '\r')" = done ]; do sleep 0.01; done
}
row "a folder renamed into an inbox, until done" "$(rate "$files" "$(took dropped)")" "$reference"
kill -TERM "$daemon"; wait "$daemon" || true
daemon=""
few=$((files / 25))
find state/done -name '*.in' | awk -v few="$few" 'NR <= few' >names
each() { xargs -P "$(nproc)" -n 1 -a names sh -c '"$0" sim thunder-bluff <"$1" >/dev/null' "$simdrop"; }
row "a process for each file, nothing stored" "$(rate "$few" "$(took each)")" "$reference"
rm -rf state

mkdir seeds
awk -v games="$seeds" 'BEGIN {
  print games
  for (n = 1; n <= games; n++) {
    printf "%d %d %d %d\n", n * 7919 % 4294967296, n * 104729 % 4294967296, n * 15485863 % 4294967296, n
  }
}' >seeds/1.in
all() { local us; rm -rf state; us="$(took "$@" "$simdrop" run seeds)"; rate "$seeds" "$us"; }
printf '\n%-44s %12s %8s\n' "one file of $seeds games" rate ratio
alone="$(SIMDROP_JOBS=1 all env)"
row "one thread that plays, and the writing one" "$alone" "$alone"
row "as many as there are: $(nproc)" "$(all env)" "$alone"
row "everything on one core" "$(all taskset -c 0)" "$alone"
echo "bytes of the store for each game: $(($(stat -c %s state/store.db) / seeds))"
