# SPDX-License-Identifier: BSD-3-Clause
"""Sections 8 to 10 of docs/bitstream.md: levels of a plane to its residual."""
from document import clamp, column, numbers, table, wrap

DIRECTIONAL_TAPS = {count[0]: taps for count, taps in zip(column("directional taps", 0), column("directional taps"))}
SPLITS = [[tuple(numbers(cell)) for cell in row[2:]] for row in table("splits")]
LOWPASS, INTERPOLATE = column("laplacian taps")
HALF_TAPS = [1, -5, 20, 20, -5, 1]
LIFTING = {  # (parity of the changed samples, sign, factor of the neighbours, rounding, shift)
    1: [(0, -1, 1, 2, 2), (1, 1, 1, 0, 1)],
    3: [(0, -1, 1817, 2048, 12), (1, -1, 113, 64, 7), (0, -1, -217, 2048, 12), (1, -1, -203, 64, 7)]}


def grid(rows, cols):
    return [[0] * cols for _ in range(rows)]


def transposed(x):
    return [list(row) for row in zip(*x)]


def mirror(i, n):
    if n == 1:
        return 0
    i %= 2 * (n - 1)
    return min(i, 2 * (n - 1) - i)


# ---- 8 Dequantisation ----


def dequantise(h, weight, subband, base_step, offset, levels):
    base = 16 if h["lowpass rounded"] and subband.lowpass else base_step
    step = 16 if h["lossless"] else clamp(((base << h["fraction bits"] + 2 * h["depth"]) * weight + 2048) // 4096, 16, 1 << 20)
    towards_zero = (step * offset + 32) // 64 if not subband.lowpass and step != 16 else 0
    out = []
    for level in levels:
        c = min((abs(level) * step - towards_zero + 8) % (1 << 32) >> 4, 32767) if level else 0
        out.append(-c if level < 0 else c)
    return out


# ---- 9 Inverse pyramid ----


def lift(line, pyramid):
    n = len(line)
    for parity, sign, factor, rounding, shift in LIFTING[pyramid]:
        for i in range(parity, n, 2):
            total = factor * (line[mirror(i - 1, n)] + line[mirror(i + 1, n)])
            line[i] = wrap(line[i] + sign * ((total + rounding) >> shift))


def at_half_column(row, half_column):
    column = half_column // 2
    if half_column % 2 == 0:
        return row[mirror(column, len(row))]
    total = sum(tap * row[mirror(column + i - 2, len(row))] for i, tap in enumerate(HALF_TAPS))
    return wrap((total + 16) >> 5)


def lift_along(x, slopes):
    rows, cols = len(x), len(x[0])
    for parity, sign, factor, rounding, shift in LIFTING[3]:
        for y in range(parity, rows, 2):
            above, below = x[mirror(y - 1, rows)], x[mirror(y + 1, rows)]
            for c in range(cols):
                d = slopes[y >> 4, c >> 4]
                total = factor * (at_half_column(above, 2 * c - d) + at_half_column(below, 2 * c + d))
                x[y][c] = wrap(x[y][c] + sign * ((total + rounding) >> shift))


def inverse_wavelet(low, bands, pyramid, slopes):
    x = grid(2 * len(low), 2 * len(low[0]))
    for orientation, band in enumerate([low] + bands):
        for y, row in enumerate(band):
            for c, value in enumerate(row):
                x[2 * y + orientation // 2][2 * c + orientation % 2] = value
    if slopes is None:
        x = transposed(x)
        for line in x:
            lift(line, pyramid)
        x = transposed(x)
    for line in x:
        lift(line, pyramid)
    if slopes is not None:
        lift_along(x, slopes)
    return x


def filtered(x, taps, y, c):
    reach = len(taps) - 1
    total = 0
    for i in range(-reach, reach + 1):
        row = x[mirror(y + i, len(x))]
        for j in range(-reach, reach + 1):
            total += taps[abs(i)] * taps[abs(j)] * row[mirror(c + j, len(row))]
    return ((total + (1 << 15) + (1 << 31)) % (1 << 32) - (1 << 31)) >> 16


def inverse_laplacian(low, band, projection):
    rows, cols = len(band), len(band[0])
    spread = grid(rows, cols)
    for y in range(0, rows, 2):
        for x in range(0, cols, 2):
            correction = filtered(band, LOWPASS, y, x) if projection else 0
            spread[y][x] = wrap(low[y // 2][x // 2] - correction)
    return [[wrap(band[y][x] + filtered(spread, INTERPOLATE, y, x)) for x in range(cols)] for y in range(rows)]


# ---- 10 Directional filter bank ----


def directional_tree(n):
    """Splits in forward order as (b1, b2, p0, p1), and the nodes of level n as (b1, b2, offset)."""
    nodes = [((1, 0), (0, 1), (0, 0))]
    splits = []
    for depth in range(1, n + 1):
        children = []
        for k, (b1, b2, offset) in enumerate(nodes):
            deep = 2 + k % 2 + (0 if k < len(nodes) // 2 else 2)
            d1, d2, t = [(v[0] * b1[0] + v[1] * b2[0], v[0] * b1[1] + v[1] * b2[1])
                         for v in SPLITS[depth - 1 if depth <= 2 else deep]]
            p1 = (offset[0] + t[0], offset[1] + t[1])
            splits.append((d1, d2, offset, p1))
            cosets = [(d1, d2, offset), (d1, d2, p1)]
            children += cosets if depth == 1 else cosets[::-1]
        nodes = children
    half = len(nodes) // 2
    return splits, nodes if n <= 1 else nodes[:half] + nodes[half:][::-1]


def coset(b1, b2, offset, rows, cols):
    """The positions of a coset in a band, in raster order."""
    det = b1[0] * b2[1] - b1[1] * b2[0]
    places = []
    for y in range(rows):
        for x in range(cols):
            dy, dx = y - offset[0], x - offset[1]
            if (dy * b2[1] - dx * b2[0]) % det == 0 and (b1[0] * dx - b1[1] * dy) % det == 0:
                places.append((y, x))
    return places


def inverse_directional(band, n, taps):
    rows, cols = len(band), len(band[0])
    a = DIRECTIONAL_TAPS[taps]
    odd = range(1 - taps, taps, 2)
    kernel = [(i, j, a[abs(i) // 2] * a[abs(j) // 2] * (1 if i * j > 0 else -1)) for i in odd for j in odd]
    for b1, b2, p0, p1 in reversed(directional_tree(n)[0]):
        for offset, factor, shift, sign in ((p0, 53, 13, 1), (p1, 181, 14, -1), (p0, 53, 13, 1)):
            for y, x in coset(b1, b2, offset, rows, cols):  # reads the other coset only
                total = 0
                for i, j, weight in kernel:
                    dy, dx = (i * b1[0] + j * b2[0]) // 2, (i * b1[1] + j * b2[1]) // 2
                    total += weight * band[(y + dy) % rows][(x + dx) % cols]
                step = (((total + 32) >> 6) * factor + (1 << (shift - 1))) >> shift
                band[y][x] = wrap(band[y][x] + sign * step)


def directed_place(n, rows, cols, y, x):
    """Where the sample at (y, x) of a band with 2^n directions is among its coefficients."""
    if n == 0:
        return y, x
    if n == 1:
        return y, (x >> 1) + (y + x) % 2 * (cols >> 1)
    return (y >> 1) + y % 2 * (rows >> 1), (x >> 1) + x % 2 * (cols >> 1)


def contourlet_residual(h, layout, coefficients, reduction, slopes, directions):
    def band_of(scale, orientation, rows, cols):
        band = grid(rows, cols)
        n = h["directions"][scale - 1] if scale else 0
        leaves = directional_tree(n)[1]
        for s, values in zip(layout.subbands, coefficients):
            if (s.scale, s.orientation) == (scale, orientation):
                for (y, x), value in zip(coset(*leaves[s.direction], rows, cols), values):
                    band[y][x] = value
        if n > 0:
            inverse_directional(band, n, h["filter taps"])
        if scale == 1 and orientation in (1, 2) and directions[orientation - 1]:
            n, stored = directions[orientation - 1], band
            places = [[directed_place(n, rows, cols, y, x) for x in range(cols)] for y in range(rows)]
            band = [[stored[r][c] for r, c in line] for line in places]
            inverse_directional(band, n, 6)
        return band

    rows, cols, scales = layout.padded_rows, layout.padded_cols, layout.scales
    x = band_of(0, 0, rows >> scales, cols >> scales)
    for j in range(scales, reduction, -1):
        if h["pyramid"]:
            bands = [band_of(j, o, rows >> j, cols >> j) for o in (1, 2, 3)]
            x = inverse_wavelet(x, bands, h["pyramid"], slopes[j - 1])
        else:
            band = band_of(j, 0, rows >> (j - 1), cols >> (j - 1))
            x = inverse_laplacian(x, band, h["projection"])
    gain = 16384
    for _ in range(reduction if h["pyramid"] == 3 else 0):
        gain = (gain * 10826 + 8192) >> 14
    half = 1 << h["fraction bits"] >> 1
    return [[(((v * gain + 8192) >> 14) + half) >> h["fraction bits"] for v in row] for row in x]
