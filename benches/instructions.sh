#!/usr/bin/env bash
# How many instructions whole commands take, each against its budget in benches/budgets.txt: unlike seconds they
# are nearly the same at each run. Ends with 1 if one takes more than 5 % above its budget. What `run` takes depends
# on how its commits fall together, so it has none.
#
#   benches/instructions.sh [SIMDROP]           needs valgrind
#   benches/instructions.sh [SIMDROP] --write   writes the budgets anew
set -euo pipefail
cd "$(dirname "$0")/.."
simdrop="$(realpath "${1:-target/release/simdrop}")"
write="${2:-}"
budgets=benches/budgets.txt
command -v valgrind >/dev/null || { echo "SKIPPED: valgrind is not installed"; exit 0; }

place="$(mktemp -d)"
trap 'rm -rf "$place"' EXIT
export HOME="$place" SIMDROP_STATE="$place/state" LC_ALL=C
# Whatever else is set would be looked at, too.
clean=(env -i "PATH=$PATH" "HOME=$HOME" "SIMDROP_STATE=$SIMDROP_STATE" "LC_ALL=$LC_ALL")
mkdir "$place/inputs"
awk 'BEGIN { print 2000; for (seed = 1; seed <= 2000; seed++) print seed, 7 * seed, 11 * seed, 13 * seed }' >"$place/thunder-bluff.in"
for ((seed = 0; seed < 500; seed++)); do
  printf '1\n%d 2 3 4\n' "$seed" >"$place/inputs/$seed.in"
done

# INPUT COMMAND...: its instructions, all threads together.
count() {
  local input="$1" code=0
  shift
  "${clean[@]}" valgrind --tool=callgrind --callgrind-out-file=/dev/null "$simdrop" "$@" <"$input" >/dev/null 2>"$place/log" || code=$?
  [ "$code" -le 1 ] || { cat "$place/log" >&2; exit 1; }
  awk '/Collected/ { print $NF }' "$place/log"
}
failed=0
# NAME INPUT COMMAND...
measure() {
  local name="$1" command="$3" taken budget
  shift
  taken="$(count "$@")"
  if [ -n "$write" ] && [ "$command" != run ]; then echo "$name $taken" >>"$budgets.new"; fi
  budget="$(awk -v name="$name" '$1 == name { print $2 }' "$budgets" 2>/dev/null || true)"
  awk -v name="$name" -v taken="$taken" -v budget="${budget:-0}" 'BEGIN {
    over = budget ? 100 * taken / budget - 100 : 0
    verdict = budget ? sprintf("%+7.2f %%%s", over, over > 5 ? "  FAILED" : "") : ""
    printf("%-22s %10.2f million %s\n", name, taken / 1e6, verdict)
    exit (over > 5)
  }' || failed=1
}
rm -f "$budgets.new"
measure thunder-bluff "$place/thunder-bluff.in" sim thunder-bluff
measure stellar-connect tests/vectors/stellar-connect/025.in sim stellar-connect
measure mtj tests/vectors/mtj/100.in sim mtj
measure read-and-check /dev/null lint "$place/inputs"
measure take-in-and-store /dev/null run "$place/inputs" --jobs 1
measure answer-from-store /dev/null run "$place/inputs" --jobs 1
measure list-cases /dev/null list cases --limit 500 -o csv
measure list-games-by-winner /dev/null list games winner:1 --limit 500
measure stats-of-a-metric /dev/null stats --metric rolls --by label
if [ -n "$write" ]; then mv "$budgets.new" "$budgets"; exit 0; fi
exit "$failed"
