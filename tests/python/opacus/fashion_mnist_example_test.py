"""The example trains on a small subset and says what it promises; single people's values stay where they belong."""

import pathlib
import stat
import subprocess
import sys

import numpy as np
import pytest

EXAMPLE = pathlib.Path(__file__).parents[3] / "examples" / "python" / "fashion_mnist.py"
DATA = pathlib.Path("/usr/share/datasets/fashion-mnist")

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the package dataset-fashion-mnist is not installed")


def run(*arguments):
    small = ["--people", "240", "--epochs", "4", "--steps", "8", "--spent-after", "2"]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(EXAMPLE), *small, *arguments], capture_output=True, text=True, check=True
    )
    return dict(line.split(None, 1) if line[0] != "w" else ("worst", line[15:]) for line in done.stdout.splitlines())


@pytest.mark.parametrize("mode", ["hooks", "ghost"])
def test_it_promises_no_more_than_the_budget_and_writes_for_its_owner_alone(mode, tmp_path):
    path = tmp_path / "spent.csv"
    path.write_text("left from before")
    path.chmod(0o644)
    said = run("--mode", mode, "--out", str(path))
    assert said["people"] == "240" and said["steps"] == "32"
    promised, worst = float(said["promised"].split()[1]), float(said["worst"].split()[1])
    assert promised <= 2.75001 and 2.75 < worst
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    spent = np.loadtxt(path, delimiter=",", skiprows=1)
    assert spent.shape == (240, 2)
    assert 0 < spent[:, 1].min() < spent[:, 1].max() <= worst


def test_without_a_file_it_says_nothing_of_single_people():
    assert set(run()) == {"people", "steps", "delta", "worst", "promised", "test"}
