"""Settings that all tests share."""

import os

import numpy as np
from hypothesis import Phase, settings

# Quick is the same on every run, so that a red build is always about the change at hand;
# soak looks for new counterexamples, for as long as one likes to wait.
settings.register_profile("quick", max_examples=16, derandomize=True, deadline=None)
settings.register_profile("soak", max_examples=3000, deadline=None, print_blob=True)
# Kernels are run once more as plain Python and with checked bounds, on fewer examples of those that quick has.
settings.register_profile("again", parent=settings.get_profile("quick"), max_examples=10)
# The first counterexample as it is, while a mistake is being looked for: making it small takes minutes.
settings.register_profile("first", parent=settings.get_profile("quick"), phases=[Phase.explicit, Phase.generate])
settings.load_profile(os.environ.get("LIMEN_PROFILE", "quick"))
if os.environ.get("NUMBA_DISABLE_JIT") == "1":
    # Hashes wrap round by design. Compiled code does so in silence; NumPy's scalars warn, already on import.
    np.seterr(over="ignore")
