"""128-bit hashes of byte strings and of events.

The mixing is that of MurmurHash3 (x64, 128 bits; public domain), chosen because it is simple, well tried and fast on
short ids; a last block that is not full is filled with zeros, and the length closes the hash. It is part of Limen's
contract: `event_id` is made of it, so it must not change between versions.
"""

import numpy as np

from limen.kernels._jit import inner_kernel, kernel

C1 = np.uint64(0x87C37B91114253D5)
C2 = np.uint64(0x4CF5AD432745937F)
ADD1 = np.uint64(0x52DCE729)
ADD2 = np.uint64(0x38495AB5)
FIVE = np.uint64(5)
FMIX1 = np.uint64(0xFF51AFD7ED558CCD)
FMIX2 = np.uint64(0xC4CEB9FE1A85EC53)
LOW_HALF = np.uint64(0xFFFFFFFF)
BLOCK = 128  # events whose hashes are fetched together
HALVES = np.uint64(0x0000FFFF0000FFFF)
BYTES = np.uint64(0x00FF00FF00FF00FF)
DIGITS = np.uint64(0x0F0F0F0F0F0F0F0F)
SIX_EACH = np.uint64(0x0606060606060606)
ONE_EACH = np.uint64(0x0101010101010101)
ZERO_CHARS = np.uint64(0x3030303030303030)
TO_LETTERS = np.uint64(39)  # from ":", which follows "9", to "a"


@inner_kernel
def rotated(x, bits):
    """Rotate a word to the left."""
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@inner_kernel
def finished(k):
    """Let every bit of a word depend on every other."""
    k ^= k >> np.uint64(33)
    k *= FMIX1
    k ^= k >> np.uint64(33)
    k *= FMIX2
    k ^= k >> np.uint64(33)
    return k


@inner_kernel
def mixed(h1, h2, k1, k2):
    """Take one block of 16 bytes, as two words, into the state."""
    h1 ^= rotated(k1 * C1, 31) * C2
    h1 = (rotated(h1, 27) + h2) * FIVE + ADD1
    h2 ^= rotated(k2 * C2, 33) * C1
    h2 = (rotated(h2, 31) + h1) * FIVE + ADD2
    return h1, h2


@inner_kernel
def word(data, at, stop):
    """Read eight bytes as a word, the lowest first; zeros stand for what lies behind `stop`."""
    if at + 8 <= stop:
        return (
            np.uint64(data[at])
            | np.uint64(data[at + 1]) << np.uint64(8)
            | np.uint64(data[at + 2]) << np.uint64(16)
            | np.uint64(data[at + 3]) << np.uint64(24)
            | np.uint64(data[at + 4]) << np.uint64(32)
            | np.uint64(data[at + 5]) << np.uint64(40)
            | np.uint64(data[at + 6]) << np.uint64(48)
            | np.uint64(data[at + 7]) << np.uint64(56)
        )
    x = np.uint64(0)
    for b in range(stop - at):
        x |= np.uint64(data[at + b]) << np.uint64(8 * b)
    return x


@inner_kernel
def closed(h1, h2, last):
    """Take a last word, such as the length, into the state and let every bit depend on every other."""
    h1 ^= np.uint64(last)
    h2 ^= np.uint64(last)
    h1 += h2
    h2 += h1
    h1 = finished(h1)
    h2 = finished(h2)
    h1 += h2
    h2 += h1
    return h1, h2


@inner_kernel
def hash_string(w1, w2, data, start, stop):
    """Hash data[start:stop] to two words; w1 and w2 are its first two `word`s, which callers need too."""
    h1 = np.uint64(0)
    h2 = np.uint64(0)
    if stop > start:
        h1, h2 = mixed(h1, h2, w1, w2)
    for at in range(start + 16, stop, 16):
        h1, h2 = mixed(h1, h2, word(data, at, stop), word(data, at + 8, stop))
    return closed(h1, h2, stop - start)


@inner_kernel
def hex_digits(x):
    """Write 32 bits as eight hex digits in a word, the highest digit in its lowest byte, all eight at once."""
    x = ((x >> np.uint64(16)) | (x << np.uint64(32))) & HALVES
    x = ((x >> np.uint64(8)) | (x << np.uint64(16))) & BYTES
    x = ((x >> np.uint64(4)) | (x << np.uint64(8))) & DIGITS
    letters = ((x + SIX_EACH) >> np.uint64(4)) & ONE_EACH
    return x + ZERO_CHARS + letters * TO_LETTERS


@kernel
def event_ids(query_hash, query, stream_hash, stream, time, started_at, code, out):
    """Write the id of each event, 32 hex digits, into `out`, uint64 (n, 4): its bytes in memory are the digits.

    An id is the hash of the query's id, the stream's id, the time, the start and a code of kind, reason and
    repetition. The ids of query and stream enter by their own hashes, which include their lengths; the query's is
    mixed already and begins the state, the code closes it.

    Parameters
    ----------
    query_hash, stream_hash : uint64 arrays (slots, 2)
    query, stream : int32 arrays (n,)
        Slots; a stream of -1 is no stream.
    time, started_at, code : int64 arrays (n,)
    """
    near = np.empty((BLOCK, 4), np.uint64)
    for first in range(0, query.size, BLOCK):
        size = min(BLOCK, query.size - first)
        # Fetch the hashes of a block first: look-ups that wait for nothing overlap, those between computations do not.
        for b in range(size):
            q = query[first + b]
            s = stream[first + b]
            near[b, 0] = query_hash[q, 0]
            near[b, 1] = query_hash[q, 1]
            near[b, 2] = stream_hash[s, 0] if s >= 0 else np.uint64(0)
            near[b, 3] = stream_hash[s, 1] if s >= 0 else np.uint64(0)
        for b in range(size):
            i = first + b
            h1, h2 = mixed(near[b, 0], near[b, 1], near[b, 2], near[b, 3])
            h1, h2 = mixed(h1, h2, np.uint64(time[i]), np.uint64(started_at[i]))
            h1, h2 = closed(h1, h2, code[i])
            out[i, 0] = hex_digits(h1 >> np.uint64(32))
            out[i, 1] = hex_digits(h1 & LOW_HALF)
            out[i, 2] = hex_digits(h2 >> np.uint64(32))
            out[i, 3] = hex_digits(h2 & LOW_HALF)


@kernel
def binding_hashes(variable_hash, variable, stream_hash, stream, time, starts, out):
    """Write two words for each alert that depend on all its bindings, in their order; they stand for its stream.

    Parameters
    ----------
    variable_hash, stream_hash : uint64 arrays (slots, 2)
    variable, stream : int32 arrays (bindings,)
    time : int64 array (bindings,)
    starts : int64 array (n + 1,)
    out : uint64 array (n, 2)
    """
    for i in range(len(out)):
        h1 = np.uint64(0)
        h2 = np.uint64(0)
        for b in range(starts[i], starts[i + 1]):
            h1, h2 = mixed(h1, h2, variable_hash[variable[b], 0], variable_hash[variable[b], 1])
            h1, h2 = mixed(h1, h2, stream_hash[stream[b], 0], stream_hash[stream[b], 1])
            h1, h2 = mixed(h1, h2, np.uint64(time[b]), np.uint64(0))
        out[i, 0], out[i, 1] = closed(h1, h2, starts[i + 1] - starts[i])
