"""Saving from Python with each call of the operating system made to fail in turn (tests/faults/shim.cc)."""

import os
import pathlib
import subprocess
import sys

import pytest

SHIM = os.environ.get("RATION_FAULTS_SHIM", "")

# One process for all of it would be quicker, but a fault is meant for a call that is counted from the start.
SAVE = """
import sys
import numpy as np
import ration
accounts = ration.Accounts(3, noise=2.0)
accounts.record(np.array([0.1, 0.5, 1.0]))
try:
    accounts.save(sys.argv[1])
except ration.RationError as error:
    sys.exit(str(error))
"""


def save(path: pathlib.Path, at: int, kind: str) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    log = path.parent.parent / "calls"
    log.unlink(missing_ok=True)
    fault = {"BELOW": str(path.parent), "AT": str(at), "KIND": kind, "LOG": str(log)}
    environment = os.environ | {f"RATION_FAULT_{name}": value for name, value in fault.items()}
    ended = subprocess.run(
        [sys.executable, "-c", SAVE, str(path)],
        env=environment | {"LD_PRELOAD": SHIM},
        capture_output=True,
        text=True,
        check=False,
    )
    return ended, log.read_text().splitlines()


@pytest.mark.skipif(not SHIM, reason="RATION_FAULTS_SHIM is not set")
def test_a_state_is_the_old_one_or_the_new_one_whole(tmp_path: pathlib.Path) -> None:
    path = tmp_path.resolve() / "written" / "a.state"
    path.parent.mkdir()
    sound, calls = save(path, 0, "io")
    assert sound.returncode == 0, sound.stderr
    new = path.read_bytes()
    noticed = 0
    for at in range(1, len(calls) + 1):
        path.write_bytes(b"old")
        ended, _ = save(path, at, "full" if at % 2 else "io")
        assert [file.name for file in path.parent.iterdir()] == ["a.state"], calls[at - 1]
        if ended.returncode == 0:
            assert path.read_bytes() == new, calls[at - 1]
            continue
        noticed += 1
        assert path.read_bytes() in (b"old", new), calls[at - 1]
        assert ended.stderr.count("\n") == 1 and "cannot write" in ended.stderr, calls[at - 1]
    assert noticed > 0
