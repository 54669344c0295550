#!/usr/bin/env bash
# Installs the library, compiles every ```cpp block of README.md against it with find_package, and
# runs the programs. usage: run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null
awk -v out="$work/block" '
  /^```/ { if (open) { open = 0 } else { open = ($0 == "```cpp"); n += open } next }
  open { print > (out n ".cc") }' "$here/../../README.md"
count=0
for source in "$work"/block*.cc; do
  cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCONSUMER_SOURCE="$source" >/dev/null
  cmake --build "$work/build" >/dev/null
  "$work/build/consumer"
  count=$((count + 1))
done
"$work/prefix/bin/ration" --version >/dev/null
echo "$count programs outside the tree compiled against the installed library and ran"
