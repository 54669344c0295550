"""Opacus' PrivacyEngine with an account for every person, and with a filter if a budget is given."""

from __future__ import annotations

from typing import Any, Mapping, Optional

import opacus
import torch
from opacus.distributed import DifferentiallyPrivateDistributedDataParallel
from torch.distributed._composable.fsdp import FSDPModule
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader

from .. import Grant, RationError, calibrate_noise
from .accountant import Accountant
from .criterion import refuse_criterion, watch_criterion
from .ghost import GhostOptimizer
from .ghost_layers import refuse_layers
from .ghost_loss import Criterion
from .indexed import Indexed
from .books import Books
from .optimizer import Optimizer
from .poisson import accounted_rate, people_of
from .refresh import Forward

_OPTIMIZERS = {"hooks": Optimizer, "functorch": Optimizer, "ghost": GhostOptimizer}
_DISTRIBUTED = (DifferentiallyPrivateDistributedDataParallel, DistributedDataParallel, FSDPModule)


class PrivacyEngine(opacus.PrivacyEngine):
    """One engine for one training. Used as Opacus' own, except that batches say whose they are.

    >>> engine = PrivacyEngine()                                                            # doctest: +SKIP
    >>> module, optimizer, loader = engine.make_private(                                    # doctest: +SKIP
    ...     module=module, optimizer=optimizer, data_loader=DataLoader(Indexed(dataset), batch_size=300),
    ...     noise_multiplier=2.0, max_grad_norm=1.0, filter={"epsilon": 2.0, "delta": 1e-5})
    >>> for people, inputs, targets in loader:                                              # doctest: +SKIP
    ...     optimizer.draw(people)
    ...     criterion(module(inputs), targets).backward()
    ...     optimizer.step()
    ...     optimizer.zero_grad()
    """

    def __init__(self, *, secure_mode: bool = False) -> None:
        super().__init__(accountant=Accountant.mechanism(), secure_mode=secure_mode)
        self._books: Optional[Books] = None

    def make_private(  # type: ignore[override]
        self,
        *,
        module: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        data_loader: DataLoader[Any],
        noise_multiplier: float,
        max_grad_norm: float,
        criterion: Any = None,
        people: Optional[int] = None,
        filter: Optional[Mapping[str, Any] | Grant] = None,
        grad_sample_mode: str = "hooks",
        poisson_sampling: bool = True,
        **options: Any,
    ) -> Any:
        """As Opacus' ``make_private``. ``criterion`` is also what ``optimizer.refresh`` measures with.

        ``people``: how many there are; if given, it must be what the loader draws from. ``filter``: everybody's
        budget, ``{"epsilon": ..., "delta": ...}``, ``{"mu": ...}`` or ``{"steps": ...}`` (as much as so many steps
        cost at the clip bound); values may be arrays with one entry for each person. ``"kind": "tight"`` among them makes
        a ``TightFilter``, which admits more sampled steps than a ``RenyiFilter``, the default. Or what ``Ledger.grant`` has
        reserved for the people of ``Indexed(dataset, people=ids)``: it is started at the first step; end it with ``settle``.
        """
        self._refuse_what_is_not_accounted_for(module, max_grad_norm, grad_sample_mode, options)
        if people is not None and people != people_of(data_loader):
            raise RationError(f"people is {people} and the loader draws from {people_of(data_loader)}")
        loss_reduction = options.get("loss_reduction", "mean")
        criterion = torch.nn.CrossEntropyLoss(reduction=loss_reduction) if criterion is None else criterion
        if grad_sample_mode != "ghost":
            refuse_criterion(criterion, loss_reduction)
        books = Books(
            people_of(data_loader),
            noise=noise_multiplier,
            clip=max_grad_norm,
            rate=accounted_rate(data_loader, poisson_sampling=poisson_sampling),
            budget=filter,
            accountant=self.accountant,
            records=data_loader.dataset.records if isinstance(data_loader.dataset, Indexed) else None,
            ids=data_loader.dataset.ids if isinstance(data_loader.dataset, Indexed) else None,
        )
        prepared = super().make_private(
            module=module,
            optimizer=optimizer,
            criterion=criterion,
            data_loader=data_loader,
            noise_multiplier=noise_multiplier,
            max_grad_norm=max_grad_norm,
            grad_sample_mode=grad_sample_mode,
            poisson_sampling=poisson_sampling,
            books=books,
            **options,
        )
        if grad_sample_mode == "ghost":
            criterion = prepared[2]
        else:
            watch_criterion(criterion, loss_reduction)
        self._connect(prepared, criterion, loss_reduction)
        self._books = books
        return prepared

    def make_private_with_epsilon(  # type: ignore[override]
        self, *, data_loader: DataLoader[Any], target_epsilon: float, target_delta: float, epochs: int, **options: Any
    ) -> Any:
        """With the least noise that keeps everybody at the full clip bound within the target."""
        if len(self.accountant) > 0:
            raise RationError("this engine has accounted for steps: a target for all of them needs a new engine")
        rate = accounted_rate(data_loader, poisson_sampling=options.get("poisson_sampling", True))
        noise = calibrate_noise(epsilon=target_epsilon, delta=target_delta, rate=rate, steps=epochs * len(data_loader))
        return self.make_private(data_loader=data_loader, noise_multiplier=noise, **options)

    def get_epsilon(self, delta: float) -> float:
        """What is guaranteed to everybody, certified: the worst case, and with a filter at most the budget."""
        return self.accountant.get_epsilon(delta) if self._books is None else self._books.epsilon(delta)

    def settle(self) -> None:
        """The training has ended: what everybody was charged is spent, and the rest of the grant goes back.

        No step can follow. Without it, as after a crash, all that was reserved counts as spent.
        """
        if self._books is None:
            raise RationError("this engine has no training: call make_private with filter=ledger.grant(...)")
        self._books.settle()

    def _prepare_optimizer(  # type: ignore[override]
        self,
        *,
        optimizer: Any,
        grad_sample_mode: str,
        noise_generator: Optional[torch.Generator] = None,
        distributed: bool = False,
        clipping: str = "flat",
        **options: Any,
    ) -> Any:
        return _OPTIMIZERS[grad_sample_mode](
            getattr(optimizer, "original_optimizer", optimizer),
            generator=self.secure_rng if self.secure_mode else noise_generator,
            secure_mode=self.secure_mode,
            **options,
        )

    def _prepare_criterion(  # type: ignore[override]
        self, *, module: Any, optimizer: Any, criterion: Any, loss_reduction: str = "mean", **options: Any
    ) -> Criterion:
        return Criterion(module, optimizer, criterion, loss_reduction)

    def _connect(self, prepared: tuple[Any, ...], criterion: Any, loss_reduction: str) -> None:
        hooks, optimizer, loader = prepared[0], prepared[1], prepared[-1]
        hooks.forbid_grad_accumulation()
        optimizer.step_hook = None  # the books count for the accountant, before anything is released
        if isinstance(optimizer, GhostOptimizer):
            optimizer.answer_for(hooks)
        if optimizer.rate < 1:
            optimizer.follow(loader)
        samplers = (loader.generator, getattr(loader.batch_sampler, "generator", None), optimizer.generator)
        generators = [one for one in samplers if isinstance(one, torch.Generator)]
        optimizer.measure_with(Forward(hooks._module, criterion, loss_reduction, generators))

    def _refuse_what_is_not_accounted_for(
        self, module: torch.nn.Module, max_grad_norm: Any, grad_sample_mode: str, options: Mapping[str, Any]
    ) -> None:
        if self._books is not None:
            raise RationError("this engine accounts for a training already: make a new one, and add up the epsilons")
        if len(self.accountant) > 0:
            raise RationError("this engine has counted steps that accounts know nothing of: load checkpoints after")
        if isinstance(module, _DISTRIBUTED):
            raise RationError("the module is distributed: accounts are kept by one process, which must see all draws")
        if grad_sample_mode not in _OPTIMIZERS:
            raise RationError(f"grad_sample_mode is {grad_sample_mode}: give one of {', '.join(_OPTIMIZERS)}")
        if options.get("clipping", "flat") != "flat" or isinstance(max_grad_norm, (list, tuple)):
            raise RationError("clipping is not flat: a person is accounted for by the norm of their whole gradient")
        if options.get("rand_on_empty", False):
            raise RationError("rand_on_empty puts somebody who is nobody into an empty batch: leave it False")
        if any(p.requires_grad and p.dtype not in (torch.float32, torch.float64) for p in module.parameters()):
            raise RationError("parameters of less than 32 bits round by more than clipping allows for: use float32")
        if any(getattr(layer, "max_norm", None) is not None for layer in module.modules()):
            raise RationError("an embedding with max_norm changes its weights without noise: make it without")
        if grad_sample_mode == "ghost":
            refuse_layers(module)
