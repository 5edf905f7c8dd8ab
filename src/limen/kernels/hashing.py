"""128-bit hashes of byte strings and of events.

The mixing is that of MurmurHash3 (x64, 128 bits; public domain), chosen because it is simple, well tried and fast on short
ids; a last block that is not full is filled with zeros, and the length closes the hash. It is part of Limen's contract:
`event_id` is made of it, so it must not change between versions.
"""

from __future__ import annotations

import numpy as np

from limen.kernels._jit import kernel

C1 = np.uint64(0x87C37B91114253D5)
C2 = np.uint64(0x4CF5AD432745937F)
ADD1 = np.uint64(0x52DCE729)
ADD2 = np.uint64(0x38495AB5)
FIVE = np.uint64(5)
FMIX1 = np.uint64(0xFF51AFD7ED558CCD)
FMIX2 = np.uint64(0xC4CEB9FE1A85EC53)
HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)


@kernel
def rotated(x, bits):
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@kernel
def finished(k):
    k ^= k >> np.uint64(33)
    k *= FMIX1
    k ^= k >> np.uint64(33)
    k *= FMIX2
    k ^= k >> np.uint64(33)
    return k


@kernel
def mixed(h1, h2, k1, k2):
    """Take one block of 16 bytes, as two words, into the state."""
    h1 ^= rotated(k1 * C1, 31) * C2
    h1 = (rotated(h1, 27) + h2) * FIVE + ADD1
    h2 ^= rotated(k2 * C2, 33) * C1
    h2 = (rotated(h2, 31) + h1) * FIVE + ADD2
    return h1, h2


@kernel
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


@kernel
def closed(h1, h2, length):
    h1 ^= np.uint64(length)
    h2 ^= np.uint64(length)
    h1 += h2
    h2 += h1
    h1 = finished(h1)
    h2 = finished(h2)
    h1 += h2
    h2 += h1
    return h1, h2


@kernel
def hash_string(w1, w2, data, start, stop):
    """Hash data[start:stop] to two words; w1 and w2 are its first two `word`s, which callers need too."""
    h1 = np.uint64(0)
    h2 = np.uint64(0)
    if stop > start:
        h1, h2 = mixed(h1, h2, w1, w2)
    for at in range(start + 16, stop, 16):
        h1, h2 = mixed(h1, h2, word(data, at, stop), word(data, at + 8, stop))
    return closed(h1, h2, stop - start)


@kernel
def write_hex(x, out, at):
    """Write a word as 16 hex digits, the highest first."""
    for d in range(16):
        out[at + d] = HEX[np.int64((x >> np.uint64(60 - 4 * d)) & np.uint64(15))]


@kernel
def event_ids(query_hash, query, stream_hash, stream, time, started_at, code, extra, out):
    """Write the id of each event, 32 hex digits, into `out` (32 n,).

    An id is the hash of eight words: two of the query's id, two of the stream's, the time, the start, a code of kind and
    reason, and an extra word (the hash of bindings, or the number of a repetition). The ids of query and stream enter by
    their own 128-bit hashes, which include their lengths.

    Parameters
    ----------
    query_hash, stream_hash : uint64 arrays (slots, 2)
    query, stream : int32 arrays (n,)
        Slots; a stream of -1 is no stream.
    time, started_at, code, extra : int64 arrays (n,)
    """
    for i in range(query.size):
        s = stream[i]
        s1 = np.uint64(0)
        s2 = np.uint64(0)
        if s >= 0:
            s1 = stream_hash[s, 0]
            s2 = stream_hash[s, 1]
        h1, h2 = mixed(np.uint64(0), np.uint64(0), query_hash[query[i], 0], query_hash[query[i], 1])
        h1, h2 = mixed(h1, h2, s1, s2)
        h1, h2 = mixed(h1, h2, np.uint64(time[i]), np.uint64(started_at[i]))
        h1, h2 = mixed(h1, h2, np.uint64(code[i]), np.uint64(extra[i]))
        h1, h2 = closed(h1, h2, 64)
        write_hex(h1, out, 32 * i)
        write_hex(h2, out, 32 * i + 16)
