"""A small training that all tests of ``ration.opacus`` share: 48 people, a small network, a few steps."""

from __future__ import annotations

import warnings

import opacus
import torch
from opacus.layers import DPLSTM
from opacus.utils.batch_memory_manager import BatchMemoryManager
from ration.opacus import Indexed, PrivacyEngine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, default_collate

PEOPLE, CLIP, NOISE, DELTA = 48, 3.0, 1.0, 1e-5
MODES = ["hooks", "ghost"]
TIGHT = {"kind": "tight", "epsilon": 4.0, "delta": DELTA}

warnings.filterwarnings("ignore", message="Secure RNG turned off")
warnings.filterwarnings("ignore", message="Full backward hook")


def people(kind="dense", count=PEOPLE):
    """Records of very different gradient norms, the same at every call."""
    random = torch.Generator().manual_seed(1)
    labels = torch.randint(0, 3, (count,), generator=random)
    if kind in ("words", "recurrent"):
        return TensorDataset(torch.randint(0, 20, (count, 7), generator=random), labels)
    inputs = torch.randn(count, 6, generator=random) * torch.logspace(-2, 1, count).unsqueeze(1)
    return TensorDataset(inputs.reshape(-1, 1, 6) if kind == "images" else inputs, labels)


class MeanOverWords(nn.Module):
    def forward(self, words):
        return words.mean(1)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.memory, self.out = nn.Embedding(20, 5), DPLSTM(5, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, words):
        return self.out(self.memory(self.words(words))[0][:, -1])


def network(kind="dense"):
    torch.manual_seed(5)
    if kind == "recurrent":
        return Recurrent()
    if kind == "words":
        return nn.Sequential(nn.Embedding(20, 5), nn.Linear(5, 9), nn.Tanh(), MeanOverWords(), nn.Linear(9, 3))
    if kind == "images":
        return nn.Sequential(nn.Conv1d(1, 4, 3), nn.ReLU(), nn.GroupNorm(2, 4), nn.Flatten(), nn.Linear(16, 3))
    if kind == "dropout":
        return nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.5), nn.ReLU(), nn.Linear(8, 3))
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))


def everybody(dataset, ids=None):
    return DataLoader(Indexed(dataset, people=ids), batch_size=10)


class Training:
    """Made private by Ration, or by plain Opacus with the same seeds."""

    def __init__(
        self,
        mode="hooks",
        *,
        kind="dense",
        batch_size=6,
        plain=False,
        dataset=None,
        engine=None,
        model=None,
        workers=0,
        ids=None,
        **options,
    ):
        self.dataset = dataset or people(kind)
        self.items = Indexed(self.dataset, people=ids)
        self.engine = engine or (opacus.PrivacyEngine() if plain else PrivacyEngine())
        self.plain, self.kind = plain, kind
        model = model or network(kind)
        criterion = options.pop("criterion", nn.CrossEntropyLoss(reduction=options.get("loss_reduction", "mean")))
        items = self.dataset if plain else self.items
        loader = DataLoader(items, batch_size=batch_size, num_workers=workers)
        settings = {"noise_multiplier": NOISE, "max_grad_norm": CLIP, **options}
        made = self.engine.make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
            criterion=criterion,
            data_loader=loader,
            grad_sample_mode=mode,
            noise_generator=torch.Generator().manual_seed(3),
            **settings,
        )
        self.optimizer, self.loader = made[1], made[-1]
        self.module = made[0] if options.get("wrap_model", True) else model
        self.criterion = made[2] if len(made) == 4 else criterion
        self._started = False

    def backward(self, batch):
        if not self.plain:
            self.optimizer.draw(batch[0])
            batch = batch[1:]
        self.criterion(self.module(batch[0]), batch[1]).backward()

    def step(self, batch):
        self.backward(batch)
        self.optimizer.step()
        self.optimizer.zero_grad()

    def epochs(self, count=1, physical=None):
        if not self._started:
            torch.manual_seed(11)  # trainings side by side draw the same samples
            self._started = True
        for _ in range(count):
            if physical is None:
                for batch in self.loader:
                    self.step(batch)
                continue
            with BatchMemoryManager(
                data_loader=self.loader, max_physical_batch_size=physical, optimizer=self.optimizer
            ) as loader:
                for batch in loader:
                    self.step(batch)

    def batch_of(self, positions):
        return default_collate(self.items.__getitems__(positions))

    def contribution(self, positions):
        """The sum of what these people add to a step, which is then given up. For loaders of rate 1."""
        self.optimizer.signal_skip_step(True)
        self.backward(self.batch_of(positions))
        self.optimizer.step()
        added = torch.cat([p.summed_grad.detach().double().flatten() for p in self.optimizer.params])
        self.optimizer.abandon()
        return added

    @property
    def parameters(self):
        return torch.cat([p.detach().flatten() for p in self.module.parameters()])
