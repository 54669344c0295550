#!/usr/bin/env bash
# Makes a virtual environment with PyTorch, Opacus and the other accountants in BUILD_DIR/venv, once, for the
# Python that the package was compiled for, and prints the interpreter to use.
# usage: venv.sh BUILD_DIR. Exit status 3: PyPI cannot be reached.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
torch=torch==2.13.0
python=$build/venv/bin/python

wanted=$(cat "$here/requirements.txt"; echo "$torch")
if [ "$(cat "$build/venv/.complete" 2>/dev/null)" != "$wanted" ]; then
  compiled_for=$(sed -n 's/^_Python_EXECUTABLE:INTERNAL=//p' "$build/CMakeCache.txt")
  rm -rf "$build/venv"
  "${compiled_for:-python3}" -m venv "$build/venv"
  # Something small, to tell a missing network from a package that does not install.
  if ! "$python" -m pip download --quiet --no-deps --retries 1 --timeout 20 --dest "$build/venv/probe" \
      iniconfig >"$build/venv/probe.log" 2>&1; then
    exit 3
  fi
  # First and by itself, so that nothing else chooses its version.
  "$python" -m pip install --quiet "$torch" >&2
  "$python" -m pip install --quiet -r "$here/requirements.txt" "$torch" >&2
  printf '%s\n' "$wanted" >"$build/venv/.complete"
fi
echo "$python"
