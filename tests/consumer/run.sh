#!/usr/bin/env bash
# Installs the library and holds it to its front door: what is installed is the list of public
# headers, each of them compiles on its own, and every ```cpp block of README.md compiles against the
# installed library with find_package and runs. usage: run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >/dev/null

(cd "$work/prefix/include" && find ration -type f | sort) >"$work/installed"
grep -o '^ *ration/[a-z_/]*\.h' "$here/../../cmake/public_headers.cmake" | tr -d ' ' | sort >"$work/listed"
diff "$work/listed" "$work/installed"
while read -r header; do
  echo "#include \"$header\"" >"$work/alone.cc"
  "${CXX:-c++}" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I"$work/prefix/include" "$work/alone.cc"
done <"$work/listed"

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
echo "$(wc -l <"$work/listed") public headers compiled on their own;" \
  "$count programs outside the tree compiled against the installed library and ran"
