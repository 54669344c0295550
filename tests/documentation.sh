#!/usr/bin/env bash
# Runs every code block of README.md and docs/ and compares what it prints.
#
#   ```console   lines after "$ " are run; the lines that follow are what they must print
#   ```sh        every line is run and must succeed
#   ```text      is not run: the demo's last words, which tests/utility.sh compares
#   ```cpp       is compiled by .ci/run as a program outside the tree (tests/consumer)
#
# All blocks run in one folder, README.md's first: the examples of docs/commands.md use its norms.npy.
# The folder examples/ is there too.
#
# usage: documentation.sh BUILD_DIR
set -euo pipefail
source_dir=$(cd "$(dirname "$0")/.." && pwd)
export PATH="$(cd "$1" && pwd):$PATH" LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$source_dir/examples" "$work/examples"
failed=0 blocks=0

check_console() {  # block file
  local command= expected= actual
  finish() {
    [ -n "$command" ] || return 0
    actual=$(cd "$work" && bash -c "$command" 2>&1) || true
    if [ "$actual" != "${expected%$'\n'}" ]; then
      printf 'in %s:\n$ %s\nexpected:\n%s\nprinted:\n%s\n' "$page" "$command" "$expected" "$actual"
      failed=1
    fi
  }
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      finish
      command=${line#'$ '} expected=
    else
      expected+=$line$'\n'
    fi
  done <"$1"
  finish
}

check_sh() {
  if grep -qE '^(make|git|cmake|sudo)' "$1"; then return 0; fi  # build commands: .ci/run runs those
  if ! (cd "$work" && bash -euo pipefail "$1") >"$work/log" 2>&1; then
    printf 'in %s:\n%s\nfailed:\n%s\n' "$page" "$(cat "$1")" "$(cat "$work/log")"
    failed=1
  fi
}

while IFS= read -r page; do
  rm -f "$work"/block.*
  awk -v out="$work/block." '
    /^```/ { if (open) { open = 0 } else { open = 1; kind = substr($0, 4); n++ } next }
    open && (kind == "console" || kind == "sh") { print > (out sprintf("%03d", n) "." kind) }' "$source_dir/$page"
  for block in "$work"/block.*; do
    [ -e "$block" ] || continue
    blocks=$((blocks + 1))
    "check_${block##*.}" "$block"
  done
done < <(cd "$source_dir" && ls README.md docs/*.md docs/*/*.md)

[ "$blocks" -gt 0 ] || { echo "no code blocks found"; exit 1; }
[ "$failed" = 0 ] && echo "$blocks code blocks run as written"
exit "$failed"
