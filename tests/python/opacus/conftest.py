"""The package is tested without PyTorch too: then these tests are not there."""

import importlib.util

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["*_test.py"]
else:
    import torch

    torch.set_num_threads(1)
