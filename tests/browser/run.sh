#!/usr/bin/env bash
# The report page in a real browser: pages of real, tiny runs, made by the program itself, and the page that `make demo` has
# left in BUILD_DIR/demo. usage: run.sh BUILD_DIR. Screenshots are left in BUILD_DIR/screenshots.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
for program in chromium python3; do
  command -v "$program" >/dev/null || { echo "$program is missing: install it"; exit 1; }
done
[ -s "$build/demo/page.html" ] || { echo "the demo's page is missing: run make demo"; exit 1; }
mkdir -p "$build/screenshots"
RATION="$build/ration" SCREENSHOTS="$build/screenshots" DEMO="$build/demo/page.html" EXAMPLES="$here/../../examples" \
  python3 -B "$here/report_test.py" -v
