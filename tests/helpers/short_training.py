"""Training of bottleneck models with fewer steps, trees and drawn samples than in earnest.

The made-up programs of tests are far apart, so a tenth of the training separates them, too.
"""

from __future__ import annotations

import pytest

from udfs.bottleneck import autoencoder, baselines, cost_training, fit, validation


def shorten_training(patch: pytest.MonkeyPatch) -> None:
    """Train less from here on; `patch` undoes it."""
    patch.setattr(autoencoder, "_PRETRAIN_STEPS", 60)
    patch.setattr(autoencoder, "_TUNE_EPOCHS", 60)
    patch.setattr(autoencoder, "_PATIENCE", 10)
    patch.setattr(autoencoder, "_RATE", 0.03)
    patch.setattr(baselines, "_TREES", 10)
    patch.setattr(baselines, "_ROUNDS", 6)
    patch.setitem(cost_training.train.__kwdefaults__, "steps", 120)
    for name, samples in (("_MEASURED", 300), ("_BLENDS", 400), ("_LABELLED", 160)):
        patch.setattr(cost_training, name, samples)
    patch.setattr(fit, "MEMBERS", 2)
    patch.setattr(validation, "FAMILY_MEMBERS", 1)
    patch.setattr(validation, "_BLENDS", 200)
