"""What a warp asks of memory in each kernel of transpose.cu, counted from the addresses that its lanes compute.

Nothing in here reads transpose.cu. If you change a kernel there, change tile() and addresses() as well;
test_the_addresses_that_are_counted_are_the_kernels in tests/chapters/11_transpose/test_transpose.py compares the two.

A sector is a piece of 32 bytes. Shared memory has 32 banks: the word, 4 bytes, at address a lies in bank a / 4 % 32. In a
pass each bank reads or writes one word, on a load for all lanes that ask for it; another word of the bank needs another
pass. With 8 bytes a lane, half of the warp's lanes take part in a pass at most; with 16 bytes, a quarter.
"""

STEPS = "naive", "tile", "padded", "swizzled", "wide"  # the lines of strips lie differently in each matrix


def tile(step, size):
    """(rows and columns, elements from one row to the next in shared memory, elements that a thread moves at a time)"""
    if step == "wide":
        pack = 16 // size
        side = pack * (8 if size == 1 else 16)
        return side, side, pack
    return 32, 32 + max(1, 4 // size) * (step == "padded"), 1


def addresses(step, size, pitch=4096):
    """{access: [the address of each lane, for each instruction of each warp]}, for a tile in the middle of a matrix.

    size: bytes of an element. pitch: elements of a row, of the matrix and of the result. Addresses in global memory count
    from the tile's first element, which lies at the beginning of a sector. n is the number of a thread in its block; k counts
    the elements or packs that it moves.
    """
    side, length, pack = tile(step, size)
    threads = (side // pack) ** 2

    def piece(n, k):  # (line, place in it) of the k-th piece of a thread
        y, x = divmod(n, side // pack)
        return pack * y + k, pack * x

    def place(row, column):  # in shared memory
        swizzled = column ^ (row // pack * pack) if step in ("swizzled", "wide") else column
        return (row * length + swizzled) * size

    def in_global(n, k):  # the load has lines of the matrix, the store those of the result
        line, column = piece(n, k)
        return (line * pitch + column) * size

    def shared_store(n, k):
        return place(*piece(n, k))

    def shared_load(n, k):
        column, row = piece(n, k)
        return place(row + k, column - k)

    of = {"load": in_global, "store": in_global, "shared store": shared_store, "shared load": shared_load}
    if step == "naive":
        of = {"load": in_global, "store": lambda n, k: (n % side * pitch + n // side) * size}
    return {
        access: [[f(n, k) for n in range(first, first + 32)] for first in range(0, threads, 32) for k in range(pack)]
        for access, f in of.items()
    }


def sectors(lanes, size):
    """How many sectors lanes touch, if each of them reads or writes `size` bytes."""
    return len({byte // 32 for address in lanes for byte in range(address, address + size)})


def passes(lanes, size):
    """How many passes shared memory needs for them."""
    at_a_time = min(32, 128 // size)  # lanes
    return sum(_passes(lanes[i : i + at_a_time], size) for i in range(0, 32, at_a_time))


def _passes(lanes, size):
    words = {byte // 4 for address in lanes for byte in range(address, address + size)}
    banks = [word % 32 for word in words]
    return max(map(banks.count, banks))


def count(step, size, pitch=4096):
    """{access: (how many for an instruction on average, how many if it went as well as it can)}"""
    width, counted = tile(step, size)[2] * size, {}  # bytes of a lane
    for access, instructions in addresses(step, size, pitch).items():
        function = passes if "shared" in access else sectors
        fewest = {sectors: width, passes: max(1, width // 4)}
        total = sum(function(lanes, width) for lanes in instructions)
        counted[access] = total / len(instructions), fewest[function]
    return counted


def main(sizes):
    def line(first, name, load, store, shared_load, shared_store):
        print(f"{first:8}{name:<17}{load:>13}{store:>10}{shared_load:>30}{shared_store:>10}")

    for size in sizes:
        line("counts", f"{size}-byte elements", "sectors: load", "store", "shared memory, passes: load", "store")
        for step in STEPS:
            counted = count(step, size)
            cells = [counted.get(access) for access in ("load", "store", "shared load", "shared store")]
            line("", step, *[f"{c[0]:g} ({c[1]:g})" if c else "-" for c in cells])
    print(f"{'':8}Counts are for one instruction of a warp; in brackets, the least that it needs.")
