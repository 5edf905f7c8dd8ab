"""Kernels run compiled, with checked bounds, and as plain Python; here is what the last of these needs."""

import numba
import numpy as np

if numba.config.DISABLE_JIT:
    # Hashes wrap round by design. Compiled code does so in silence; NumPy's scalars warn, already on import.
    np.seterr(over="ignore")
