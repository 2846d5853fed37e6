"""What a warp asks of memory in each kernel of transpose.cu, counted from the addresses that its lanes compute.

Nothing in here reads transpose.cu. If you change a kernel there, change tile() and addresses() as well;
test_the_addresses_that_are_counted_are_the_kernels in tests/chapters/test_11_transpose.py compares the two.

A sector is a piece of 32 bytes. Shared memory has 32 banks: the word, 4 bytes, at address a lies in bank a / 4 % 32. In a
pass each bank reads or writes one word, on a load for all lanes that ask for it; another word of the bank needs another
pass. With 8 bytes a lane, half of the warp's lanes take part in a pass at most; with 16 bytes, a quarter.
"""

from itertools import product


def tile(step, size):
    """(side, elements from one row of the tile in shared memory to the next, elements that a thread moves at a time)"""
    bank = max(1, 4 // size)
    if step == "wide":
        pack = 16 // size
        return pack * (8 if size < 4 else 16), pack * (8 if size < 4 else 16), pack
    side = 64 if step == "rows" else 32
    return side, side + bank * (step in ("padded", "rows")), 1


def addresses(step, size, pitch=4096):
    """{access: [the address of each lane, for each instruction of each warp]}, for the first block of transpose.cu.

    size: bytes of an element. pitch: elements of a row, of the matrix and of the result. x and y are threadIdx, as in
    transpose.cu; k counts the elements or packs that a thread moves.
    """
    side, length, pack = tile(step, size)
    across = side // pack  # threads in a row of the block
    down, steps = {"wide": (across, pack), "rows": (4, 16)}.get(step, (32, 1))

    def line(y, k):  # of the tile, in which a thread moves its k-th piece
        return pack * y + k if step == "wide" else y + k * down

    def place(row, column):  # in shared memory
        swizzled = column ^ (row // pack) if step in ("swizzled", "wide") else column
        return (row * length + pack * swizzled) * size

    of = {
        "load": lambda x, y, k: (line(y, k) * pitch + pack * x) * size,
        "store": lambda x, y, k: (line(y, k) * pitch + pack * x) * size,
        "shared store": lambda x, y, k: place(line(y, k), x),
        "shared load": lambda x, y, k: place(pack * x + k, y) if step == "wide" else place(x, line(y, k)),
    }
    if step == "naive":
        of = {"load": of["load"], "store": lambda x, y, k: (x * pitch + y) * size}
    threads = [(x, y) for y, x in product(range(down), range(across))]  # in the order of their numbers
    warps = [threads[first : first + 32] for first in range(0, len(threads), 32)]
    return {
        access: [[f(x, y, k) for x, y in warp] for warp, k in product(warps, range(steps))] for access, f in of.items()
    }


def sectors(lanes, size):
    """How many sectors lanes touch that read or write so many bytes each."""
    return len({byte // 32 for address in lanes for byte in range(address, address + size)})


def passes(lanes, size):
    """How many passes shared memory needs for them."""
    at_a_time = min(32, 128 // size)  # lanes
    return sum(_passes(lanes[i : i + at_a_time], size) for i in range(0, 32, at_a_time))


def _passes(lanes, size):
    words = {byte // 4 for address in lanes for byte in range(address, address + size)}
    banks = [word % 32 for word in words]
    return max(map(banks.count, banks))


def count(step, size):
    """{access: (how many for an instruction on average, how many if it went as well as it can)}"""
    width = tile(step, size)[2] * size
    fewest = {sectors: width, passes: max(1, width // 4)}
    counted = {}
    for access, instructions in addresses(step, size).items():
        function = passes if "shared" in access else sectors
        total = sum(function(lanes, width) for lanes in instructions)
        counted[access] = total / len(instructions), fewest[function]
    return counted


def main(steps, sizes):
    def line(first, name, load, store, shared_load, shared_store):
        print(f"{first:8}{name:<17}{load:>13}{store:>10}{shared_load:>30}{shared_store:>10}")

    for size in sizes:
        line("counts", f"{size}-byte elements", "sectors: load", "store", "shared memory, passes: load", "store")
        for step in steps:
            counted = count(step, size)
            cells = [counted.get(access) for access in ("load", "store", "shared load", "shared store")]
            line("", step, *[f"{c[0]:g} ({c[1]:g})" if c else "-" for c in cells])
    print(f"{'':8}For an instruction of a warp; in brackets, what it needs at least.")
