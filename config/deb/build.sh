#!/usr/bin/env bash
# Builds the Debian package: the release, what the program itself makes of its manual pages and completions, and the
# settings as they go to /etc. More arguments go to cargo-deb, such as --deb-version 0.2.0-1.
#
#   config/deb/build.sh [CARGO-DEB-ARGUMENT...]
set -euo pipefail
cd "$(dirname "$0")/../.."
cargo deb --version >/dev/null 2>&1 || { echo "cargo-deb is missing: cargo install cargo-deb --locked" >&2; exit 1; }

cargo build --release --locked
simdrop="${CARGO_TARGET_DIR:-target}/release/simdrop"
# Where Cargo.toml looks for it.
made=target/package
rm -rf "$made"
mkdir -p "$made/man"
"$simdrop" man "$made/man"
gzip -9n "$made"/man/*
for shell in bash zsh fish; do "$simdrop" completions "$shell" >"$made/simdrop.$shell"; done
# Every key is there to be seen; what nobody changes follows the program's own defaults.
sed -E 's/^([a-z_]+ = )/# \1/' config/default.toml >"$made/config.toml"
cargo deb --no-build --locked --strip "$@"
