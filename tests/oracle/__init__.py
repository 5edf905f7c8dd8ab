"""The judge: Limen's semantics in plain Python, slow and obvious.

It is written from the specification alone and never imports `limen`, so that an error would have to be made
twice, independently, to go unnoticed. It keeps the whole history of every stream and derives each answer
from the definitions; nothing here is incremental and nothing is clever.
"""

from tests.oracle.engine import Oracle

__all__ = ["Oracle"]
