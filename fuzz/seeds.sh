#!/usr/bin/env bash
# Makes the seeds of every fuzz target anew from the project's own tests: small files only.
set -euo pipefail
cd "$(dirname "$0")/.."
seeds=fuzz/seeds
rm -rf "$seeds"

# TARGET NAME: keeps standard input as a seed.
keep() { mkdir -p "$seeds/$1" && cat >"$seeds/$1/$2"; }
# TARGET FIRST: keeps each line of standard input as a seed, numbered from FIRST.
keep_lines() {
  local number="$2"
  while IFS= read -r line; do
    printf '%s' "$line" | keep "$1" "$number"
    number=$((number + 1))
  done
}
# FOLDER BYTES MOST: some small files of it, evenly.
some() {
  find "$1" -name "$2" -size "-$3" | LC_ALL=C sort | awk -v most="$4" '
    { all[NR] = $0 } END { by = NR > most ? NR / most : 1; for (n = 1; n <= NR; n += by) print all[int(n)] }'
}

for simulator in mtj stellar-connect thunder-bluff; do
  some "tests/vectors/$simulator" '*.in' 900c 15 | while IFS= read -r file; do
    keep "$simulator" "$(basename "$file")" <"$file"
  done
done
# However many zeros lead, it is the same number.
for simulator in mtj stellar-connect thunder-bluff; do
  sed '1s/^/000000000000000000000000/' "tests/vectors/$simulator/001.in" | keep "$simulator" leading-zeros
done
for simulator in mtj stellar-connect thunder-bluff; do
  find "examples/$simulator" -name '*.in' -size -2 | while IFS= read -r file; do
    keep "$simulator" "example-$(basename "$file")" <"$file"
  done
done
printf '1\n2\n' | keep mtj too-short
printf '\357\273\2771\r\n1 2 3 4\r\n' | keep thunder-bluff byte-order-mark-and-crlf
printf '+1 007 -0 4294967295 12\n' | keep thunder-bluff spelling

# An answer against itself, with other white space, with another word, cut, and against nothing.
some tests/vectors '*.ans' 400c 8 | while IFS= read -r file; do
  name="$(basename "$(dirname "$file")")-$(basename "$file" .ans)"
  for change in p 's/ /  /g' 's/$/ \r/' '1d' 's/[0-9]/7/' '$d'; do
    { cat "$file"; printf '\377'; sed -n "$change;$([ "$change" = p ] && echo d || echo p)" "$file"; } |
      keep compare "$name-$(printf '%s' "$change" | md5sum | cut -c1-6)"
  done
done
printf '\377' | keep compare nothing
printf '\n\377 :-( \n' | keep compare emoticon
printf 'a\fb\tc\n\377a b c' | keep compare white-space

find tests/gallery -name '*.zip' -size -4 | while IFS= read -r file; do
  keep zip "$(basename "$file")" <"$file"
done
find tests/gallery examples -name simdrop.toml | while IFS= read -r file; do
  keep manifest "$(basename "$(dirname "$file")")" <"$file"
done
printf 'label = "a\\u001b[31m"\npair = "{name}.in:*.out"\ntags = { a = "b", "c d" = "" }\n' | keep manifest strange

# The terms that the tests of queries read or refuse, and the documentation's.
sed -n 's/^ *("\(.*\)", *\(Test\|"\).*/\1/p' src/cli/query/tests.rs | sed 's/\\\([\\"]\)/\1/g' | keep_lines query 1
grep -o '`[a-z-]*:[^`]*`' docs/queries.md | tr -d '`' | sort -u | head -40 | keep_lines query 200
keep_lines words 1 <<'WORDS'
latest
-3
12
12/7
12/7#2
12/big/one.in
label:week 3
label:a/1
2h
7d
3w
1.5h
20000000h
today
yesterday
2026-10-25
2026-10-25 02:30
2026-03-29 02:30
2026-10-25T02:30:00+02:00
2026-10-25T00:30:00.123456Z
9999-12-31 23:59
-009999-01-01
WORDS

keep config default <config/default.toml
sed 's/^# \([a-z_]* = \)/\1/' config/default.toml | keep config everything
printf 'jobs = "many"\n' | keep config wrong-kind
printf 'limits = 3\n[inbox]\nquiet_fil = "1s"\n' | keep config unknown-key
printf '[limits]\nmax_games = 1_0\nmax_input_bytes = "1.5 KiB"\n' | keep config units

keep_lines request 1 <<'REQUESTS'
{"kind":"pause","drain":true}
{"kind":"resume"}
{"kind":"cancel","run":-1}
{"kind":"rerun","run":7,"again":{"verdicts":["WA","CRASH"],"label":"x","tags":[["a","b"]],"compare":"tokens","fresh":true}}
{"kind":"edit","run":7,"edit":{"label":"x","tags":[]}}
{"kind":"prune","runs":[1,2,3],"more":false}
{"kind":"prune","runs":null,"more":false}
{"token":"1-2","source":[47,120],"zip":"input.zip","files":[],"seeds":null,"simulator":"mtj","rules":null,"compare":"exact","pair":"{name}.in:{name}.ans","only":"1,3-5","label":null,"tags":[],"fresh":false}
{"files":["a/1.in","a/1.ans"],"tags":[["k","v"]],"fresh":true}
{"zip":"../other.zip","tags":[],"fresh":false}
{"files":["/etc/passwd",".","a/../../b"],"tags":[],"fresh":false}
{"seeds":{"start":1,"end":18446744073709551615},"tags":[],"fresh":false}
REQUESTS
