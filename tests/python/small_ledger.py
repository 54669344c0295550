"""A ledger of four people in a file of its own: fixtures of the tests that import them."""

import pytest

from ration import Ledger

DELTA = 1e-5
IDS = ["Ada", "Bela", "Cyd", "Dee"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "budgets.ledger"


@pytest.fixture
def ledger(path):
    return Ledger.create(path, ids=IDS, epsilon=3.0, delta=DELTA)
