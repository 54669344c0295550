#!/usr/bin/env bash
# How long `ration report` takes for a million people in ten thousand groups, start to end, against reading the same
# files with cat, and how long Debian's chromium takes to open the page, charts drawn, against an empty one. Asked for:
# under 5 s, a page below 2 MB, open in under 2 s.
#
# usage: report_end_to_end.sh RATION [PEOPLE]
set -euo pipefail
browser=$(realpath "$(dirname "$0")/../tests/browser")
ration=$(realpath "$1") people=${2:-1000000}
cd "$(mktemp -d "${TMPDIR:-/tmp}/ration.XXXXXX")"
trap 'rm -rf "$PWD"' EXIT

python3 - "$people" <<'PYTHON'
import sys
import numpy

people = int(sys.argv[1])
numpy.save("norms.npy", numpy.random.default_rng(1).gamma(2, 0.2, (3, people)).astype(numpy.float32))
with open("groups.csv", "w") as groups:
    groups.writelines(f"group {person % 10000}\n" for person in range(people))
PYTHON
"$ration" account norms.npy --noise 2 --delta 1e-6 --groups groups.csv --results results >summary

seconds() { local from=$EPOCHREALTIME; "$@" >/dev/null; echo "$from $EPOCHREALTIME" | awk '{ printf "%.2f s", $2 - $1 }'; }
echo "cat     $(seconds cat results/*)"
echo "report  $(seconds "$ration" report results --out page.html)"
echo "page    $(stat -c %s page.html) bytes"

echo "<!doctype html><title>empty</title>" >empty.html
PYTHONPATH=$browser python3 -B - <<'PYTHON'
import os
from chromium import Chromium

browser = Chromium()
for name in ("empty", "page"):
    with browser.open(os.path.realpath(f"{name}.html")) as tab:
        print(f"open {name:5} {tab.seconds:.2f} s")
browser.close()
PYTHON
