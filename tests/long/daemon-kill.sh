#!/usr/bin/env bash
# Kills the daemon at random moments while a writer renames files into its inbox, and starts it again; at the
# end each file has exactly one run and one result, the inbox is empty, `out/` is complete and the store is
# sound. The suite has a short form of this in tests/suite/serve/killing.rs.
#
#   tests/long/daemon-kill.sh [SIMDROP] [ROUNDS] [FILES]
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
rounds="${2:-500}"
files="${3:-$((rounds * 40))}"
command -v sqlite3 >/dev/null || { echo "SKIPPED: sqlite3 is not installed"; exit 0; }

place="$(mktemp -d)"
daemon="" writer=""
end() {
  for child in $writer $daemon; do kill -9 "$child" 2>/dev/null || true; done
  rm -rf "$place"
}
trap end EXIT
state="$place/state"
mkdir -p "$place/making" "$state/inbox"
cat >"$place/serve.toml" <<'TOML'
[inbox]
quiet_file = "50 ms"
rescan = "500 ms"
TOML

ask() { sqlite3 -readonly -cmd '.timeout 5000' "$state/store.db" "$1"; }
fail() { echo "$1"; tail -5 "$place/log"; exit 1; }
start() {
  "$simdrop" --state "$state" serve --config "$place/serve.toml" >/dev/null 2>"$place/log" &
  daemon=$!
}

for ((n = 1; n <= files; n++)); do
  echo "1
$n $((n * 7919 % 4294967296)) $((n * 104729 % 4294967296)) 99" >"$place/making/$n.in"
done
# One file a moment, so that they last for all rounds.
(
  for ((n = 1; n <= files; n++)); do
    mv "$place/making/$n.in" "$state/inbox/$n.in"
    ((n % 10)) || sleep 0.05
  done
) &
writer=$!

for ((round = 1; round <= rounds; round++)); do
  start
  sleep "$(awk -v r="$RANDOM" 'BEGIN { printf "%.3f", 0.4 * r / 32768 }')"
  kill -9 "$daemon" 2>/dev/null || fail "round $round: the daemon ended by itself"
  wait "$daemon" 2>/dev/null || true
  if ((round % 50 == 0)); then
    [ "$(ask 'PRAGMA integrity_check')" = ok ] || fail "round $round: damaged"
    echo "round $round: $(ask 'SELECT count(*) FROM runs WHERE state = 3') of $files done"
  fi
done
wait "$writer"
writer=""

start
for ((look = 0; look < 3000; look++)); do
  [ "$(ask 'SELECT count(*) FROM runs WHERE state = 3 AND put_away AND written_out' 2>/dev/null || echo 0)" != "$files" ] || break
  sleep 0.1
done
until grep -q serving "$place/log"; do sleep 0.1; done
kill -TERM "$daemon"
code=0
wait "$daemon" || code=$?
daemon=""
[ "$code" = 0 ] || fail "the daemon ended with $code"
[ "$(ask 'PRAGMA integrity_check')" = ok ] || fail "damaged"
found="$(ask "SELECT (SELECT count(*) FROM runs) || ' ' || (SELECT count(DISTINCT source) FROM runs WHERE state = 3)
  || ' ' || (SELECT count(*) FROM cases WHERE verdict = 4) || ' ' || (SELECT count(*) FROM results)")"
[ "$found" = "$files $files $files $files" ] || fail "runs, sources, cases, results: $found, not $files of each"
[ -z "$(ls -A "$state/inbox")" ] || fail "the inbox is not empty: $(ls -A "$state/inbox" | head -5)"
[ "$(find "$state/done" -name '*.in' | wc -l)" = "$files" ] || fail "done/ is not complete"
[ "$(find "$state/out" -name '*.out' -size +0 | wc -l)" = "$files" ] || fail "out/ is not complete"
[ "$(find "$state/out" -name summary.json | wc -l)" = "$files" ] || fail "out/ is not complete"
echo "$rounds kills, $files files: each has one run and one result"
