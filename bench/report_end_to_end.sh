#!/usr/bin/env bash
# How long `ration report` takes for a million people in ten thousand groups, start to end, against reading the same
# files with cat. Asked for: under 5 s, and a page below 2 MB.
#
# usage: report_end_to_end.sh RATION [PEOPLE]
set -euo pipefail
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
