"""A binary heap over two arrays, keys and items: the smallest key is at 0. The caller keeps the size and makes room."""

from limen.kernels._jit import inner_kernel


@inner_kernel
def push(key, item, size, keys, items):
    """Add an item to a heap of so many."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if keys[parent] <= key:
            break
        keys[i] = keys[parent]
        items[i] = items[parent]
        i = parent
    keys[i] = key
    items[i] = item


@inner_kernel
def pop(size, keys, items):
    """Take the item at 0 out of a heap of so many."""
    size -= 1
    key = keys[size]
    item = items[size]
    i = 0
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[i] = keys[child]
        items[i] = items[child]
        i = child
    keys[i] = key
    items[i] = item
