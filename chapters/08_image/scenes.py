"""A photo of sorts and a scanner's volume, computed from a seed, for pictures.py. Nothing in here is about operators.

They are the same on every machine and with every numpy: RandomState's numbers are fixed for good, and the rest is sums,
products, quotients and square roots, which IEEE 754 rounds in one way only. No sin, exp or power.
"""

import numpy as np

MAX_VAL = 4095.0  # a scanner of 12 bits


def smooth(t):
    """0 below 0, 1 above 1, and no kink between."""
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def mix(t, low, high):
    """float64, H x W x 3: from the colour `low`, where t is 0, to `high`, where it is 1."""
    t = np.asarray(t)[..., None]
    return (1 - t) * np.asarray(low, float) + t * np.asarray(high, float)


def noise(random, height, width, down, right, octaves=5):
    """float64, height x width, about -1 to 1: smooth hills and valleys, `down` and `right` pixels wide, with smaller ones
    on them, and so on (K. Perlin, An Image Synthesizer, 1985)."""
    total = np.zeros((height, width))
    for octave in range(octaves):
        y, x = (np.arange(n) * 2**octave / cell for n, cell in ((height, down), (width, right)))
        j, i = y.astype(int), x.astype(int)
        grid = random.random_sample((j[-1] + 2, i[-1] + 2)) - 0.5
        v, u = smooth(y - j)[:, None], smooth(x - i)
        rows = grid[j] * (1 - v) + grid[j + 1] * v
        total += (rows[:, i] * (1 - u) + rows[:, i + 1] * u) / 2**octave
    return total


def photo():
    """uint8, 320 x 480 x 3, red first: a balloon over a lake in the mountains, computed."""
    random = np.random.RandomState(8)
    shape = height, width = 320, 480
    water, shore = 200, 262  # rows
    y, x = np.arange(height)[:, None].astype(float), np.arange(width).astype(float)
    img = np.zeros((*shape, 3))

    def paint(cover, color):
        cover = np.broadcast_to(cover, shape).astype(float)[..., None]
        img[:] = img * (1 - cover) + cover * color

    paint(1, mix(smooth(y / water), (46, 98, 178), (214, 214, 208)))  # the sky, a glow, clouds
    paint(0.75 / (1 + 3 * (((x - 90) / 170) ** 2 + ((y - 165) / 90) ** 2)), (255, 226, 170))
    clouds = noise(random, *shape, 45, 150, 5)
    lit = smooth(0.7 - 12 * np.gradient(clouds, axis=0))
    paint(0.9 * smooth(2.2 * clouds - 0.05), mix(lit, (168, 160, 172), (255, 246, 236)))

    for base, rise, right, rock, haze in (  # mountains, the farthest first
        (118, 90, 190, np.array([92, 98, 120]), 0.45),
        (156, 70, 130, np.array([74, 92, 84]), 0.22),
        (184, 46, 90, np.array([40, 68, 40]), 0.06),
    ):
        top = base - rise * noise(random, 1, width, 1, right, 7)
        ridges = noise(random, *shape, 60, 60, 5)
        lit = smooth(0.45 + 15 * np.gradient(ridges, axis=1))
        color = mix(lit, 0.45 * rock, 1.5 * rock)
        if base == 118:
            snow = smooth((112 - y + 60 * ridges) / 12)[..., None]
            color = color * (1 - snow) + snow * mix(lit, (150, 168, 205), (255, 246, 236))
        paint(smooth(y - top), color * (1 - haze) + haze * np.array([196, 200, 206]))

    down, right = (y - 66) / 46, (x - 330) / 42  # the balloon: red, yellow and blue
    across = right / np.sqrt(np.clip(1 - down * down, 0.001, 1))
    stripes = np.array([(225, 25, 25), (250, 205, 30), (20, 45, 200)])[
        np.searchsorted([-0.9, -0.6, -0.2, 0.2, 0.6, 0.9], across) % 3
    ]
    lit = smooth(1.1 - 0.35 * (right + 0.7) ** 2 - 0.3 * (down + 0.3) ** 2)
    paint(smooth(20 * (1 - right * right - down * down)), stripes * (0.25 + 0.85 * lit[..., None]))
    ropes = np.abs(np.abs(x - 330) - 0.6 * (126 - y) - 5) < 0.7
    paint(0.8 * (ropes & (y > 100) & (y < 128)), (50, 40, 35))
    paint((np.abs(x - 330) < 6) & (np.abs(y - 131) < 5), mix(smooth((x - 322) / 16), (150, 105, 60), (70, 45, 25)))

    ripples = noise(random, *shape, 5, 60, 3)  # the lake: what is above it upside down, and shaken
    depth = y - water
    from_y = np.clip(water - 1 - 1.7 * depth + (0.3 * depth + 4) * ripples, 0, water - 1).astype(int)
    from_x = np.clip(x + 6 * ripples, 0, width - 1).astype(int)
    paint(depth >= 0, 0.72 * img[from_y, from_x] + (4, 14, 22) + 26 * ripples[..., None])

    top = shore + 12 * noise(random, 1, width, 1, 120, 6) + (x - 200) ** 2 / 3000  # the meadow
    blades = noise(random, *shape, 14, 4, 3) + 0.6 * noise(random, *shape, 40, 40, 3)
    grass = mix(smooth(0.5 + 0.8 * blades), (22, 42, 12), (134, 158, 52))
    paint(smooth(y - top + 5 * blades), grass * (0.75 + 0.35 * np.clip((y - top) / 60, 0, 1))[..., None])
    for down, right, kind in random.random_sample((170, 3)):
        size = 0.8 + 3 * down  # of a flower: the lower, the nearer
        v, u = (y - shore - 12 - 50 * down) / size, (x - width * right) / size
        color = (228, 28, 20) if kind < 0.6 else (250, 215, 60) if kind < 0.8 else (90, 80, 220)
        paint(smooth(1.6 - u * u - v * v / 0.56) * (y > top), mix(smooth(0.6 - 0.3 * v), (0, 0, 0), color))

    grain = random.random_sample(img.shape) + random.random_sample(img.shape) - 1  # as of a camera
    return np.clip(img + 0.6 * grain + 0.5, 0, 255).astype(np.uint8)


def scan(depth=48, side=160):
    """uint16, Z x Y x X, values of 12 bits: a head of sorts, as a scanner would show it."""
    random = np.random.RandomState(8)
    z, y, x = (
        np.arange(n).reshape(axes) * 2 / (n - 1) - 1
        for n, axes in ((depth, (-1, 1, 1)), (side, (-1, 1)), (side, (-1,)))
    )
    tissue = np.stack([noise(random, side, side, 24, 24, 4) for _ in range(depth // 8 + 2)])
    at = np.arange(depth) / 8
    k, t = at.astype(int), smooth(at - at.astype(int))[:, None, None]
    tissue = tissue[k] * (1 - t) + tissue[k + 1] * t
    radius = np.sqrt(z**2 + (y / 0.9) ** 2 + (x / 0.75) ** 2) + 0.03 * tissue
    values = np.where(radius < 0.95, 900, 60) + np.where(radius < 0.78, 300 + 500 * tissue, 0)
    values = np.where(np.abs(radius - 0.85) < 0.06, 3600, values)  # bone
    for center in -0.25, 0.25:
        values = np.where((x - center) ** 2 + (y + 0.1) ** 2 + z**2 + 0.02 * tissue < 0.03, 300, values)
    grain = random.random_sample(values.shape) + random.random_sample(values.shape) - 1
    return np.clip(values + 100 * grain, 0, MAX_VAL).astype(np.uint16)
