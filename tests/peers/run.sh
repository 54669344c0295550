#!/usr/bin/env bash
# The peer checks: the other accountants on the shared plans, where PyPI can be reached.
# usage: run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
python=$("$here/../python/venv.sh" "$build") || {
  [ $? = 3 ] || exit 1
  echo "peer checks skipped: PyPI cannot be reached"
  exit 0
}
# As pip installs it: the NumPy that the peers need may be newer than the one that build/python was compiled for.
"$python" -m pip install --quiet "$here/../.."
# One thread each: one plan is asked on each core, and times are compared.
OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 \
  "$python" -m pytest -p no:cacheprovider -c /dev/null --rootdir "$here" -o "python_files=*_test.py" -q -s "$here"
