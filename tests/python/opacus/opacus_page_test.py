"""The code of docs/python-opacus.md runs as it stands, from top to bottom."""

import pathlib
import re

import torch
from torch import nn
from torch.utils.data import TensorDataset

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "python-opacus.md"


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    names = {"dataset": TensorDataset(torch.randn(600, 20), torch.randint(0, 2, (600,))), "model": nn.Linear(20, 2)}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 3
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["engine"].get_epsilon(1e-5) <= 2.0
