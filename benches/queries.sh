#!/usr/bin/env bash
# How long `show` and `list` take on a large store, as people feel it: whole processes, with common and
# with rare values. Each kind of question is asked some forty times; 95 of 100 must be answered
# within MOST milliseconds.
#
#   cargo bench --bench big_store -- DIR
#   benches/queries.sh DIR [SIMDROP] [MOST]
set -euo pipefail
state="$(realpath "$1")"
simdrop="$(realpath "${2:-target/release/simdrop}")"
most="${3:-50}"
command -v sqlite3 >/dev/null || { echo "SKIPPED: sqlite3 is not installed"; exit 0; }
export SIMDROP_STATE="$state" LC_ALL=C
failed=0

ask() { sqlite3 -readonly "$state/store.db" "$1"; }
# Repeats its words until there are N.
some() {
  local n="$1" words at; shift; words=("$@")
  for ((at = 0; at < n; at++)); do printf '%s\n' "${words[at % ${#words[@]}]}"; done
}

# NAME, then a command a line on standard input.
measure() {
  local name="$1" line begun times=() code wrong=0
  while IFS= read -r line; do
    eval "set -- $line"
    begun="${EPOCHREALTIME/./}"
    code=0
    "$simdrop" "$@" >/dev/null 2>"$errors" || code=$?
    times+=($(( ${EPOCHREALTIME/./} - begun )))
    [ "$code" = 0 ] || { echo "FAILED: simdrop $line: exit $code: $(cat "$errors")"; wrong=1; }
  done
  printf '%s\n' "${times[@]}" | sort -n | awk -v name="$name" -v most="$most" -v wrong="$wrong" '
    { us[NR] = $1 }
    function at(share) { return us[int((NR - 1) * share) + 1] / 1000 }
    END {
      slow = (at(0.95) > most)
      printf("%-24s %4d  %8.1f %8.1f %8.1f%s\n", name, NR, at(0.5), at(0.95), at(1), slow ? "  FAILED" : "")
      exit slow || wrong
    }'
}
errors="$(mktemp)"
trap 'rm -f "$errors"' EXIT

runs="$(ask 'SELECT max(id) FROM runs')"
mapfile -t any_runs < <(for _ in {1..40}; do echo $((1 + (RANDOM * 32768 + RANDOM) % runs)); done)
ids="$(IFS=,; echo "${any_runs[*]}")"
mapfile -t cases < <(ask "SELECT id || '/' || (1 + abs(random()) % total) FROM runs
                          WHERE id IN ($ids) AND total > 0")
mapfile -t games < <(for case in "${cases[@]}"; do
  ask "SELECT '$case#' || first FROM cases c JOIN game_blocks g ON g.id >= c.result << 32 AND g.id < (c.result + 1) << 32
       WHERE c.id = ${case%/*} * 4294967296 + ${case#*/} LIMIT 1"
done)
mapfile -t labels < <(ask "SELECT DISTINCT label FROM runs WHERE label IS NOT NULL ORDER BY id DESC LIMIT 30")
mapfile -t dates < <(ask "SELECT strftime('%Y-%m-%d', taken_in_us / 1000000, 'unixepoch') FROM runs
                          WHERE id IN ($ids)")

printf '%-24s %4s  %8s %8s %8s   ms\n' "" times median p95 most
some 40 "${any_runs[@]}" | sed 's/^/show /' | measure "show RUN" || failed=1
some 40 "${cases[@]}" | sed 's/^/show /' | measure "show RUN/CASE" || failed=1
some 40 "${games[@]}" | sed 's/^/show /' | measure "show RUN/CASE#GAME" || failed=1
for what in runs cases games; do
  some 10 "list $what" | measure "list $what" || failed=1
  # Where somebody goes on who has read far back.
  case "$what" in runs) places=("${any_runs[@]}") ;; cases) places=("${cases[@]}") ;; games) places=("${games[@]}") ;; esac
  some 40 "${places[@]}" | sed "s/.*/list $what --after &/" | measure "list $what --after" || failed=1
  some 40 stellar-connect thunder-bluff mtj | sed "s/.*/list $what sim:&/" | measure "list $what sim" || failed=1
  some 40 AC PE WA NOREF BADIN LIMIT CRASH CANCELLED | sed "s/.*/list $what verdict:&/" |
    measure "list $what verdict" || failed=1
  some 40 nightly "${labels[@]}" "no such label" | sed "s/.*/list $what label:'\"&\"'/" |
    measure "list $what label" || failed=1
  some 40 course=a course=d person=s001 person=s399 audit=yes audit none=x |
    sed "s/.*/list $what tag:&/" | measure "list $what tag" || failed=1
  some 40 "${any_runs[@]}" | sed "s/.*/list $what run:&/" | measure "list $what run" || failed=1
  some 40 2h 7d 30d yesterday "${dates[@]}" 2100-01-01 | sed "s/.*/list $what since:&/" |
    measure "list $what since" || failed=1
  some 40 2h 7d 30d yesterday "${dates[@]}" 2000-01-01 | sed "s/.*/list $what until:&/" |
    measure "list $what until" || failed=1
done
exit "$failed"
