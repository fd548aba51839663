"""c_arrays: what vectors and matrices are in C, and the code of what is done with them.

A matrix is its rows, one after the other; a row, and an item of the program's arguments, is where
it is, and not a copy. Memory is kept for the next call: nothing is given back before the end.
"""

from __future__ import annotations

from .c_kinds import NUMBER
from .c_names import OPERATORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .c_kinds import Kind

# ``m`` is 1 for a vector. ``real`` is what items are; numbers are always doubles.
HEAD = """\
#include <stdlib.h>
#include <string.h>

static struct chunk { struct chunk *next; long used, size; real items[]; } *first_chunk, *chunk;
static real nothing[1];
static void forget(void) {
    for (struct chunk *c = first_chunk; c; c = c->next) c->used = 0;
    chunk = first_chunk;
}
static real *take(long n) {
    while (chunk && chunk->used + n > chunk->size && chunk->next) chunk = chunk->next;
    if (!chunk || chunk->used + n > chunk->size) {
        long size = n > 131072 ? n : 131072;
        struct chunk *c = malloc(sizeof *c + size * sizeof(real));
        if (!c) { fail(4); return 0; }
        c->next = 0; c->used = 0; c->size = size;
        if (chunk) chunk->next = c; else first_chunk = c;
        chunk = c;
    }
    chunk->used += n;
    return chunk->items + chunk->used - n;
}
static struct array new_array(long n, long m) {
    struct array a = {nothing, nothing, 0, m};
    real *v = n * m ? take(2 * n * m) : 0;
    if (v) { a.v = v; a.d = v + n * m; a.n = n; memset(a.d, 0, n * m * sizeof(real)); }
    return a;
}
static struct array like(struct array *a, struct array *b) {
    int same = a->n == b->n && a->m == b->m;
    if (!same) fail(5);
    return new_array(same ? a->n : 0, a->m);
}
static struct array row(struct array *a, double i) {
    long at = py_at(a, i);
    struct array r = {a->v + at * a->m, a->d + at * a->m, failed ? 0 : a->m, 1};
    return r;
}
static real dot(real *a, real *b, long n) {
    real s[16] = {0}, sum = 0;
    long i = 0;
    for (; i + 16 <= n; i += 16) for (int j = 0; j < 16; j++) s[j] += a[i + j] * b[i + j];
    for (; i < n; i++) sum += a[i] * b[i];
    for (int j = 0; j < 16; j++) sum += s[j];
    return sum;
}
static void add_times(real *restrict a, real *restrict b, real x, long n) {
    for (long i = 0; i < n; i++) a[i] += b[i] * x;
}
static double vectors(struct array *a, struct array *b) {
    if (a->n == b->n) return dot(a->v, b->v, a->n);
    fail(5);
    return 0;
}
static void vectors_slopes(real d, struct array *a, struct array *b) {
    long n = a->n == b->n ? a->n : 0;
    add_times(a->d, b->v, d, n);
    add_times(b->d, a->v, d, n);
}
static struct array product(struct array *a, struct array *b) {
    int same = a->m == b->n;
    if (!same) fail(5);
    struct array r = new_array(same ? a->n : 0, b->m);
    if (b->m > 1) memset(r.v, 0, r.n * r.m * sizeof(real));
    for (long i = 0; i < r.n; i++) {
        real *left = a->v + i * a->m;
        if (b->m == 1) r.v[i] = dot(left, b->v, a->m);
        else for (long j = 0; j < a->m; j++)
            add_times(r.v + i * r.m, b->v + j * b->m, left[j], r.m);
    }
    return r;
}
static void product_slopes(struct array *r, struct array *a, struct array *b) {
    for (long i = 0; i < r->n; i++) {
        real *slope = r->d + i * r->m, *left = a->v + i * a->m, *left_d = a->d + i * a->m;
        if (b->m == 1) {
            add_times(left_d, b->v, *slope, a->m);
            add_times(b->d, left, *slope, a->m);
        } else for (long j = 0; j < a->m; j++) {
            left_d[j] += dot(slope, b->v + j * b->m, r->m);
            add_times(b->d + j * b->m, slope, left[j], r->m);
        }
    }
}
"""


def each(operator: str, result: str, given: Sequence[tuple[str, Kind]]) -> list[str]:
    """Lines that compute an array item by item; of what is ``given`` one at least is an array."""
    arrays = [name for name, kind in given if kind != NUMBER]
    code = OPERATORS[operator].format(*_items(given))
    return [
        f"struct array {result}_ = like({arrays[0]}, {arrays[-1]}), *{result} = &{result}_;",
        loop(result, f"{result}->v[j] = {code};"),
    ]


def each_slope(slopes: Sequence[str], result: str, given: Sequence[tuple[str, Kind]]) -> list[str]:
    """Lines that add to the derivatives of what is given."""
    places = [*_items(given), *[""] * (2 - len(given)), f"{result}->v[j]"]
    lines = []
    for (name, kind), slope in zip(given, slopes, strict=False):
        target = f"{name}->d" if kind == NUMBER else f"{name}->d[j]"
        code = slope.format(*places, d=f"{result}->d[j]")
        lines.append(loop(result, f"{target} += {code};"))
    return lines


def _items(given: Sequence[tuple[str, Kind]]) -> list[str]:
    return [f"{name}->v" if kind == NUMBER else f"{name}->v[j]" for name, kind in given]


def loop(result: str, line: str) -> str:
    """A line for all places of an array."""
    return f"for (long j = 0; j < {result}->n * {result}->m; j++) {line}"
