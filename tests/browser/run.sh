#!/usr/bin/env bash
# The report page in a real browser: pages of real, tiny runs, made by the program itself.
# usage: run.sh BUILD_DIR. Screenshots are left in BUILD_DIR/screenshots.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
for program in chromium python3; do
  command -v "$program" >/dev/null || { echo "$program is missing: install it"; exit 1; }
done
mkdir -p "$build/screenshots"
RATION="$build/ration" SCREENSHOTS="$build/screenshots" EXAMPLES="$here/../../examples" \
  python3 -B "$here/report_test.py" -v
