#!/usr/bin/env bash
# Kills a run of many files at a random moment, finishes it with `rerun`, and compares with a run that
# nobody disturbed; over and over. The suite has a short form of this in tests/suite/stop.rs.
#
#   tests/long/kill-and-rerun.sh [SIMDROP] [ROUNDS] [FILES]
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
rounds="${2:-50}"
files="${3:-5000}"
command -v sqlite3 >/dev/null || { echo "SKIPPED: sqlite3 is not installed"; exit 0; }

place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
mkdir "$place/data"
for ((n = 1; n <= files; n++)); do
  echo "1
$n $((n * 7919 % 4294967296)) $((n * 104729 % 4294967296)) 99" >"$place/data/$n.in"
done

ask() { sqlite3 -readonly "$1/store.db" "$2"; }
outputs() {
  ask "$1" "SELECT CAST(name AS TEXT), hex(output_hash) FROM cases JOIN results ON results.id = result ORDER BY cases.id" |
    sha256sum
}

begun="$(date +%s%N)"
"$simdrop" --state "$place/whole" run "$place/data" >/dev/null 2>&1
took=$((($(date +%s%N) - begun) / 1000000))
want="$(outputs "$place/whole")"
echo "an undisturbed run of $files files takes $took ms"

round=0
while [ "$round" -lt "$rounds" ]; do
  state="$place/state"
  rm -rf "$state"
  "$simdrop" --state "$state" run "$place/data" >/dev/null 2>&1 &
  child=$!
  sleep "$(awk -v ms="$took" -v r="$RANDOM" 'BEGIN { printf "%.3f", ms * r / 32768 / 1000 }')"
  kill -9 "$child" 2>/dev/null || true
  wait "$child" 2>/dev/null || true
  if ! "$simdrop" --state "$state" list --json 2>/dev/null | grep -q '"id":1'; then
    continue # killed before there was a run
  fi
  [ "$(ask "$state" "SELECT state < 3 FROM runs")" = 1 ] || continue # it had ended
  round=$((round + 1))
  done_before="$(ask "$state" "SELECT done || ' of ' || listed || ', ' || (SELECT count(*) FROM cases WHERE state = 2) || ' being played' FROM runs")"
  code=0
  "$simdrop" --state "$state" rerun 1 >/dev/null 2>"$place/log" || code=$?
  [ "$code" = 0 ] || { cat "$place/log"; echo "round $round: rerun ended with $code"; exit 1; }
  [ "$(ask "$state" 'PRAGMA integrity_check')" = ok ] || { echo "round $round: damaged"; exit 1; }
  [ "$(ask "$state" "SELECT (SELECT count(*) FROM cases WHERE verdict = 4 AND state = 3) || ' ' || (SELECT count(*) FROM results) || ' ' || (SELECT count(*) FROM games) || ' ' || (SELECT count(*) FROM runs)")" = "$files $files $files 1" ] ||
    { echo "round $round: not one result for each case"; exit 1; }
  [ "$(outputs "$state")" = "$want" ] || { echo "round $round: other outputs"; exit 1; }
  echo "round $round: killed at $done_before; finished, the same"
done
