#!/usr/bin/env bash
# Installs the package with pip into a virtual environment, beside PyTorch, Opacus, matplotlib and the other
# accountants, and runs suites against it: tests/python, tests/peers. Where PyPI cannot be reached it says so and
# does nothing.
# usage: run.sh BUILD_DIR SUITE...
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
shift
python=$("$root/tests/python/venv.sh" "$build") || {
  [ $? = 3 ] || exit 1
  echo "$* skipped: PyPI cannot be reached"
  exit 0
}
"$python" -m pip install --quiet "$root"
# One thread each: the peers are asked about two plans at a time, and times are compared.
export OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
for suite in "$@"; do
  "$python" -m pytest -p no:cacheprovider -c /dev/null --rootdir "$root" -o 'python_files=*_test.py' -q -W ignore -s \
    "$root/$suite"
done
