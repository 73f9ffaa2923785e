#!/usr/bin/env bash
# How long it takes from a rename into an idle inbox to the committed result, as seen by somebody who polls
# the store. The suite has a short form of this, without a time, in tests/suite/serve/once.rs.
#
#   tests/long/daemon-latency.sh [SIMDROP] [DROPS]
set -euo pipefail
simdrop="$(realpath "${1:-target/release/simdrop}")"
drops="${2:-500}"
command -v python3 >/dev/null || { echo "SKIPPED: python3 is not installed"; exit 0; }

place="$(mktemp -d)"
daemon=""
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null || true; rm -rf "$place"' EXIT
mkdir "$place/making"
"$simdrop" --state "$place/state" serve >/dev/null 2>"$place/log" &
daemon=$!
until grep -q serving "$place/log"; do
  kill -0 "$daemon" || { cat "$place/log"; exit 1; }
  sleep 0.05
done

python3 - "$place" "$drops" <<'PYTHON'
import os, sqlite3, sys, time

place, drops = sys.argv[1], int(sys.argv[2])
db = sqlite3.connect(f"file:{place}/state/store.db?mode=ro", uri=True, isolation_level=None)
took = []
for n in range(1, drops + 1):
    path = f"{place}/making/{n}.in"
    with open(path, "w") as file:
        file.write(f"1\n{n} {n * 7919} {n * 104729} 99\n")
    begun = time.perf_counter()
    os.rename(path, f"{place}/state/inbox/{n}.in")
    while db.execute("SELECT count(*) FROM results").fetchone()[0] < n:
        if time.perf_counter() - begun > 30:
            sys.exit(f"drop {n} was never done")
        time.sleep(0.0002)
    took.append((time.perf_counter() - begun) * 1000)
    time.sleep(0.02)  # idle again
took.sort()
at = lambda part: took[min(len(took) - 1, int(len(took) * part))]
print(f"{drops} drops: p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms, most {took[-1]:.1f} ms")
PYTHON
kill -TERM "$daemon"
wait "$daemon"
daemon=""
