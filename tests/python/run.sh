#!/usr/bin/env bash
# The package as pip installs it, with PyTorch, Opacus and matplotlib beside it, where PyPI can be reached.
# usage: run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
python=$("$here/venv.sh" "$build") || {
  [ $? = 3 ] || exit 1
  echo "PyTorch and Opacus tests skipped: PyPI cannot be reached"
  exit 0
}
"$python" -m pip install --quiet "$here/../.."
OMP_NUM_THREADS=2 PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg \
  "$python" -m pytest -p no:cacheprovider -c /dev/null --rootdir "$here" -o 'python_files=*_test.py' -q "$here"
