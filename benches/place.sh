# What the scripts beside this share: a place of their own that goes away, with a daemon if one is left, and a clock.

place="$(mktemp -d)"
daemon=""
trap '[ -z "$daemon" ] || kill -9 "$daemon" 2>/dev/null || true; rm -rf "$place"' EXIT
export HOME="$place" SIMDROP_STATE="$place/state" LC_ALL=C
cd "$place"

micros() { echo "${EPOCHREALTIME/./}"; }
# COMMAND...: runs it; says how many microseconds that took.
took() { local from; from="$(micros)"; "$@" >log 2>&1 || { cat log >&2; exit 1; }; echo $(($(micros) - from)); }
