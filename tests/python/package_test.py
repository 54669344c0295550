"""The package as its users meet it: examples in its texts run, importing it is cheap, nothing is missing."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import ration

# ration.opacus needs PyTorch: its examples are run by tests of their own.
INNER = ["ration"] + [
    m.name
    for package in (ration, ration.interchange)
    for m in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if m.name != "ration.opacus"
]


@pytest.mark.parametrize("name", [name for name in INNER if name not in ("ration.plot", "ration._core")])
def test_examples_in_docstrings_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_everything_public_is_documented():
    for name in ration.__all__:
        if name != "__version__" and name != "RationError":
            assert getattr(ration, name).__doc__, name


def test_importing_asks_for_nothing_but_numpy():
    code = (
        "import sys, numpy; before = set(sys.modules); import ration;"
        "new = {m.split('.')[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names) - {'numpy'};"
        "print(sorted(new))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['ration']"
