"""A shared buffer kept up to date, instant by instant: streams report, and queries move with them.

All that happens in one instant happens together, and what is told is the difference it makes:

1. What each stream that reports was for the queries around it.
2. Streams, and with them queries, come to their new places. A query that has moved looks at all objects that have not
   reported (`buffer_renewal`).
3. What each stream that reported is now; if objects are being shed, whether it is kept.
4. The nearest of queries that had, have or might have one of them.
5. Whoever is of no interest to anyone is forgotten; and the books are balanced (`buffer_shedding`).
"""

from __future__ import annotations

import math

import numpy as np

from limen.kernels._jit import kernel
from limen.kernels.around import NEAREST, distance
from limen.kernels.buffer_arrays import (
    CLOCK,
    IN,
    LAST_LEAST,
    LEAST_REFERENCES,
    OUT,
    PASSING,
    SHADOW,
    SHED,
    SHED_OBJECTS,
    SHEDDING,
    SPEED,
    STORED,
    TOO_FAST,
)
from limen.kernels.buffer_books import has_room, is_guarded, is_light
from limen.kernels.buffer_cells import first_query, next_query, put_in_cell, query_at, take_out_of_cell
from limen.kernels.buffer_regions import interest
from limen.kernels.buffer_renewal import (
    MOVED_ON,
    SHED_OFF,
    become,
    is_focal,
    note,
    renew_nearest,
    renew_range,
    take_object,
    tell,
)
from limen.kernels.buffer_shadows import casts_shadow, keep_shadows_few, let_go
from limen.kernels.buffer_shedding import keep_to_budget
from limen.kernels.object_grid import GONE, PRESENT, SAME
from limen.kernels.telling import with_room

A_LITTLE = 1e-9  # by which a stream may seem too fast


@kernel
def disturb(queries, desk, q, now, disturbed):
    """Note that the nearest of a query are to be looked for anew."""
    if queries["renewed"][q] == now:
        return disturbed
    queries["renewed"][q] = now
    desk.disturbed[disturbed] = q
    return disturbed + 1


@kernel
def is_too_fast(buffer, o, line, entry, time):
    """Tell whether a stream has come further than it can have since it reported last."""
    objects, speed = buffer.objects, buffer.books.rule[SPEED]
    far = distance(buffer.lonlat, objects["point"], o, line.point, entry)
    far = far if buffer.lonlat else math.sqrt(far)
    return far > speed * (time - objects["seen"][o]) * (1.0 + A_LITTLE)


@kernel
def leave(buffer, o, now, disturbed, were, count_were):
    """Take an object out of the counts of all queries, and list those of which it was a member."""
    queries, cells, objects = buffer.queries, buffer.cells, buffer.objects
    if objects["cell"][o] >= 0:
        place = first_query(cells, objects["cell"][o])
        while place != -1:
            q = query_at(cells, place)
            where = interest(buffer, q, o)
            if where != OUT:
                note(buffer, q, o, where, -1)
                if queries["kind"][q] == NEAREST:
                    disturbed = disturb(queries, buffer.desk, q, now, disturbed)
                elif where == IN and objects["mode"][o] == STORED:
                    were = with_room(were, count_were, 1)
                    were[count_were, 0] = q
                    count_were += 1
            place = next_query(queries, cells, place)
    return disturbed, were, count_were


@kernel
def is_kept(buffer, o, was_stored):
    """Tell whether an object is stored, now that it has reported.

    While objects are shed, not if too few queries are interested in it. One that is new, or was shed, comes in when
    there is room, or when as many want it as kept others.
    """
    cells, shedding = buffer.cells, buffer.books.shedding
    least = shedding[LEAST_REFERENCES]
    if buffer.books.rule[SHEDDING] != SHED_OBJECTS:
        least = 1
    elif not was_stored and not has_room(buffer, o):
        least = max(least, shedding[LAST_LEAST])
    elif is_light(buffer.books):
        least = 1
    if least <= 1 or is_focal(buffer, o):
        return True
    references = 0
    place = first_query(cells, buffer.objects["cell"][o])
    while place != -1:
        references += interest(buffer, query_at(cells, place), o) != OUT
        place = next_query(buffer.queries, cells, place)
    return references == 0 or references >= least or is_guarded(buffer, o, 0)


@kernel
def arrive(buffer, o, was_stored, entry, now, disturbed, were, first, last, out, count):
    """Count an object for all queries where it is now; tell those that it comes to, and those that it leaves."""
    queries, cells, objects, desk, books = buffer.queries, buffer.cells, buffer.objects, buffer.desk, buffer.books
    books.counts[CLOCK] += 1
    mark = -books.counts[CLOCK]  # of queries that had it; others are marked by instants, which are positive
    for at in range(first, last):
        queries["marked"][were[at, 0]] = mark
    if objects["cell"][o] >= 0:
        keep_shadows_few(buffer, now)
        kept = is_kept(buffer, o, was_stored)
        noted = kept or casts_shadow(buffer, o)
        books.counts[SHED] += was_stored and not kept
        become(buffer, o, STORED if kept else SHADOW if noted else PASSING)
        place = first_query(cells, objects["cell"][o])
        while place != -1:
            q = query_at(cells, place)
            where = interest(buffer, q, o)
            if where != OUT and queries["kind"][q] == NEAREST:
                disturbed = disturb(queries, desk, q, now, disturbed)
            elif where != OUT:
                if noted:
                    note(buffer, q, o, where, 1)
                if where == IN:
                    had = queries["marked"][q] == mark
                    if had != kept:
                        out, count = tell(buffer, out, count, q, o, kept, entry, MOVED_ON if kept else SHED_OFF)
                    queries["marked"][q] = 0
            place = next_query(queries, cells, place)
        if not noted:
            take_out_of_cell(objects, cells, o)
    elif is_focal(buffer, o):
        become(buffer, o, STORED)
    for at in range(first, last):
        if queries["marked"][were[at, 0]] == mark:
            out, count = tell(buffer, out, count, were[at, 0], o, False, entry, MOVED_ON)
    return disturbed, out, count


@kernel
def take_places(buffer, line, time, first, last, now, disturbed):
    """Let streams come to their new places, and list the queries that move with them; return how many there are."""
    objects, cells, desk, queries = buffer.objects, buffer.cells, buffer.desk, buffer.queries
    moved = 0
    for entry in range(first, last):
        o = desk.entries["object"][entry - first]
        if o < 0:
            continue
        take_out_of_cell(objects, cells, o)
        objects["looked_for"][o] = line.code[entry] == PRESENT
        objects["seen"][o] = time[entry]
        for axis in range(objects["point"].shape[1]):
            objects["point"][o, axis] = np.nan if line.code[entry] == GONE else line.point[entry, axis]
        if line.code[entry] == PRESENT:
            put_in_cell(objects, cells, o)
        q = buffer.streams["around"][line.stream[entry]]
        while q >= 0:
            if queries["kind"][q] == NEAREST:
                disturbed = disturb(queries, desk, q, now, disturbed)
            else:
                desk.moved[moved] = q
                moved += 1
            q = queries["next_around"][q]
    return moved, disturbed


@kernel
def begin(buffer, line, time, first, last, now, were):
    """Find the objects of an instant, new ones for new streams, and what each was for the queries around it."""
    objects, desk = buffer.objects, buffer.desk
    disturbed = count_were = 0
    for entry in range(first, last):
        stream, code = line.stream[entry], line.code[entry]
        o = buffer.streams["object"][stream]
        buffer.streams["row"][stream] = line.row[entry]
        desk.entries["first"][entry - first] = count_were
        desk.entries["object"][entry - first] = -1
        if code == SAME:
            if o >= 0:
                objects["seen"][o] = time[entry]
            continue
        was_stored = o >= 0 and objects["mode"][o] == STORED
        if o < 0:
            if code == GONE:
                continue
            o = take_object(buffer, stream)
        elif code != GONE and is_too_fast(buffer, o, line, entry, time[entry]):
            buffer.books.counts[TOO_FAST] += 1
        buffer.desk.touched[o] = now
        desk.entries["object"][entry - first] = o
        desk.entries["was_stored"][entry - first] = was_stored
        disturbed, were, count_were = leave(buffer, o, now, disturbed, were, count_were)
    desk.entries["first"][last - first] = count_were
    return disturbed, were


@kernel
def play(buffer, line, time, out):
    """Play a line of entries, each with its time, and return how many changes it makes, and these, rows as `tell` has.

    There must be a free object for each entry.
    """
    desk, count = buffer.desk, 0
    were = np.empty((64, 1), np.int32)
    first = 0
    while first < line.stream.size:
        last = first + 1
        while last < line.stream.size and line.instant[last] == line.instant[first]:
            last += 1
        buffer.books.counts[CLOCK] += 1
        now, loose = buffer.books.counts[CLOCK], 0
        disturbed, were = begin(buffer, line, time, first, last, now, were)
        moved, disturbed = take_places(buffer, line, time, first, last, now, disturbed)
        for at in range(moved):
            loose, out, count = renew_range(buffer, desk.moved[at], now, loose, first, MOVED_ON, out, count)
        for entry in range(first, last):
            o = desk.entries["object"][entry - first]
            if o >= 0:
                from_, to = desk.entries["first"][entry - first], desk.entries["first"][entry - first + 1]
                was_stored = desk.entries["was_stored"][entry - first]
                disturbed, out, count = arrive(
                    buffer, o, was_stored, entry, now, disturbed, were, from_, to, out, count
                )
        for at in range(disturbed):
            loose, out, count = renew_nearest(buffer, desk.disturbed[at], now, loose, first, MOVED_ON, out, count)
        for at in range(loose):
            let_go(buffer, desk.loose[at])
        for entry in range(first, last):
            if desk.entries["object"][entry - first] >= 0:
                let_go(buffer, desk.entries["object"][entry - first])
        out, count = keep_to_budget(buffer, time[first], last - 1, out, count)
        first = last
    for entry in range(line.stream.size):
        buffer.streams["row"][line.stream[entry]] = -1
    return count, out
