"""Update a shared buffer instant by instant: streams report, and queries move with them.

The entries of one instant are applied together, and the difference they make is emitted:

1. Look up the queries that contained each reporting stream before.
2. Move streams and the queries that move with them. A query that moved is evaluated on all objects that have not
   reported (`refresh`).
3. Look up the queries that contain each reporting stream now; if objects are shed, decide whether to store it.
4. Search again for nearest queries that had, have or might have one of these streams.
5. Evict streams that have become insignificant, and shed until the budget is met (`shedding`).
"""

import math

import numpy as np

from limen.kernels._jit import inner_kernel, kernel
from limen.queries.answer.kernels.affected import mark_affected
from limen.queries.answer.kernels.around import NEAREST, distance
from limen.queries.answer.kernels.emit import with_columns
from limen.queries.answer.kernels.object_grid import GONE, PRESENT, SAME
from limen.queries.budget.kernels import layout
from limen.queries.budget.kernels.accounting import has_room, is_guarded, is_light
from limen.queries.budget.kernels.areas import interest
from limen.queries.budget.kernels.buffer_grid import first_query, next_query, put_in_cell, query_at, take_out_of_cell
from limen.queries.budget.kernels.ghost_entries import evict, leaves_ghost, limit_ghosts
from limen.queries.budget.kernels.refresh import (
    MOVED_ON,
    SHED_OFF,
    become,
    emit_object,
    is_focal,
    note,
    renew_nearest,
    renew_range,
    take_object,
)
from limen.queries.budget.kernels.shedding import keep_to_budget

A_LITTLE = 1e-9  # by which a stream may seem too fast


@inner_kernel
def is_too_fast(buffer, o, timeline, entry, time):
    """Return whether a stream moved faster than `max_speed` since its last report."""
    objects, speed = buffer.objects, buffer.accounting.rule[layout.SPEED]
    far = distance(buffer.lonlat, objects["point"], o, timeline.point, entry)
    far = far if buffer.lonlat else math.sqrt(far)
    return far > speed * (time - objects[o]["seen"]) * (1.0 + A_LITTLE)


@inner_kernel
def leave(buffer, o, now, disturbed, were, count_were):
    """Take an object out of the counts of all queries, and list those of which it was a member."""
    queries, objects = buffer.queries, buffer.objects
    if objects[o]["cell"] >= 0:
        place = first_query(buffer, objects[o]["cell"])
        while place != -1:
            q = query_at(buffer, place)
            where = interest(buffer, q, o)
            if where != layout.OUT:
                note(buffer, q, o, where, -1)
                if queries[q]["kind"] == NEAREST:
                    disturbed = mark_affected(queries["renewed"], now, buffer.scratch.disturbed, disturbed, q)
                elif where == layout.IN and objects[o]["mode"] == layout.STORED:
                    were = with_columns(were, count_were, 1)
                    were[0, count_were] = q
                    count_were += 1
            place = next_query(buffer, place)
    return disturbed, were, count_were


@inner_kernel
def is_kept(buffer, o, was_stored):
    """Return whether an object is stored, now that it has reported.

    While objects are shed, not if too few queries are interested in it. One that is new, or was shed, comes in when
    there is room, or when as many want it as kept others.
    """
    shedding = buffer.accounting.shedding
    least = shedding[layout.LEAST_REFERENCES]
    if buffer.accounting.rule[layout.SHEDDING] != layout.SHED_OBJECTS:
        least = 1
    elif not was_stored and not has_room(buffer, o):
        least = max(least, shedding[layout.LAST_LEAST])
    elif is_light(buffer.accounting):
        least = 1
    if least <= 1 or is_focal(buffer, o):
        return True
    references = 0
    place = first_query(buffer, buffer.objects[o]["cell"])
    while place != -1:
        references += interest(buffer, query_at(buffer, place), o) != layout.OUT
        place = next_query(buffer, place)
    return references == 0 or references >= least or is_guarded(buffer, o, 0)


@inner_kernel
def arrive(buffer, o, was_stored, entry, now, disturbed, were, first, last, out, count):
    """Count an object for all queries at its new position; emit the additions and removals."""
    queries, objects = buffer.queries, buffer.objects
    scratch, accounting = buffer.scratch, buffer.accounting
    accounting.counts[layout.CLOCK] += 1
    mark = -accounting.counts[layout.CLOCK]  # of queries that had it; others are marked by instants, which are positive
    for at in range(first, last):
        queries[were[0, at]]["marked"] = mark
    if objects[o]["cell"] >= 0:
        limit_ghosts(buffer, now)
        kept = is_kept(buffer, o, was_stored)
        noted = kept or leaves_ghost(buffer, o)
        accounting.counts[layout.SHED] += was_stored and not kept
        become(buffer, o, layout.STORED if kept else layout.GHOST if noted else layout.PASSING)
        place = first_query(buffer, objects[o]["cell"])
        while place != -1:
            q = query_at(buffer, place)
            where = interest(buffer, q, o)
            if where != layout.OUT and queries[q]["kind"] == NEAREST:
                disturbed = mark_affected(queries["renewed"], now, scratch.disturbed, disturbed, q)
            elif where != layout.OUT:
                if noted:
                    note(buffer, q, o, where, 1)
                if where == layout.IN:
                    had = queries[q]["marked"] == mark
                    if had != kept:
                        out, count = emit_object(buffer, out, count, q, o, kept, entry, MOVED_ON if kept else SHED_OFF)
                    queries[q]["marked"] = 0
            place = next_query(buffer, place)
        if not noted:
            take_out_of_cell(buffer, o)
    elif is_focal(buffer, o):
        become(buffer, o, layout.STORED)
    for at in range(first, last):
        if queries[were[0, at]]["marked"] == mark:
            out, count = emit_object(buffer, out, count, were[0, at], o, False, entry, MOVED_ON)
    return disturbed, out, count


@inner_kernel
def take_places(buffer, timeline, time, first, last, now, disturbed):
    """Let streams come to their new places, and list the queries that move with them; return how many there are."""
    objects, scratch, queries = buffer.objects, buffer.scratch, buffer.queries
    moved = 0
    for entry in range(first, last):
        o = scratch.entries[entry - first]["object"]
        if o < 0:
            continue
        take_out_of_cell(buffer, o)
        objects[o]["looked_for"] = timeline.code[entry] == PRESENT
        objects[o]["seen"] = time[entry]
        for axis in range(objects["point"].shape[1]):
            objects["point"][o, axis] = np.nan if timeline.code[entry] == GONE else timeline.point[entry, axis]
        if timeline.code[entry] == PRESENT:
            put_in_cell(buffer, o)
        q = buffer.streams[timeline.stream[entry]]["around"]
        while q >= 0:
            if queries[q]["kind"] == NEAREST:
                disturbed = mark_affected(queries["renewed"], now, scratch.disturbed, disturbed, q)
            else:
                scratch.moved[moved] = q
                moved += 1
            q = queries[q]["next_around"]
    return moved, disturbed


@inner_kernel
def begin(buffer, timeline, time, first, last, now, were):
    """Find the objects of an instant, new ones for new streams, and what each was for the queries around it."""
    objects, scratch = buffer.objects, buffer.scratch
    disturbed = count_were = 0
    for entry in range(first, last):
        stream, code = timeline.stream[entry], timeline.code[entry]
        o = buffer.streams[stream]["object"]
        buffer.streams[stream]["row"] = timeline.row[entry]
        scratch.entries[entry - first]["first"] = count_were
        scratch.entries[entry - first]["object"] = -1
        if code == SAME:
            if o >= 0:
                objects[o]["seen"] = time[entry]
            continue
        was_stored = o >= 0 and objects[o]["mode"] == layout.STORED
        if o < 0:
            if code == GONE:
                continue
            o = take_object(buffer, stream)
        elif code != GONE and is_too_fast(buffer, o, timeline, entry, time[entry]):
            buffer.accounting.counts[layout.TOO_FAST] += 1
        buffer.scratch.touched[o] = now
        scratch.entries[entry - first]["object"] = o
        scratch.entries[entry - first]["was_stored"] = was_stored
        disturbed, were, count_were = leave(buffer, o, now, disturbed, were, count_were)
    scratch.entries[last - first]["first"] = count_were
    return disturbed, were


@kernel
def play(buffer, timeline, time, out):
    """Apply a timeline, each entry with its time; return the number of changes, and the columns of `emit_object`.

    There must be a free object for each entry.
    """
    scratch, count = buffer.scratch, 0
    were = np.empty((1, 64), np.int32)
    first = 0
    while first < timeline.stream.size:
        last = first + 1
        while last < timeline.stream.size and timeline.instant[last] == timeline.instant[first]:
            last += 1
        buffer.accounting.counts[layout.CLOCK] += 1
        now, loose = buffer.accounting.counts[layout.CLOCK], 0
        disturbed, were = begin(buffer, timeline, time, first, last, now, were)
        moved, disturbed = take_places(buffer, timeline, time, first, last, now, disturbed)
        for at in range(moved):
            loose, out, count = renew_range(buffer, scratch.moved[at], now, loose, first, MOVED_ON, out, count)
        for entry in range(first, last):
            o = scratch.entries[entry - first]["object"]
            if o >= 0:
                from_, to = scratch.entries[entry - first]["first"], scratch.entries[entry - first + 1]["first"]
                was_stored = scratch.entries[entry - first]["was_stored"]
                disturbed, out, count = arrive(
                    buffer, o, was_stored, entry, now, disturbed, were, from_, to, out, count
                )
        for at in range(disturbed):
            loose, out, count = renew_nearest(buffer, scratch.disturbed[at], now, loose, first, MOVED_ON, out, count)
        for at in range(loose):
            evict(buffer, scratch.loose[at])
        for entry in range(first, last):
            if scratch.entries[entry - first]["object"] >= 0:
                evict(buffer, scratch.entries[entry - first]["object"])
        out, count = keep_to_budget(buffer, time[first], last - 1, out, count)
        first = last
    for entry in range(timeline.stream.size):
        buffer.streams[timeline.stream[entry]]["row"] = -1
    return count, out
