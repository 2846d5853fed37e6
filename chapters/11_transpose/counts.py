"""What a warp asks of memory in each kernel of transpose.cu, counted from the addresses that its lanes compute.

Nothing in here reads transpose.cu. If you change a kernel there, change tile() and addresses() as well;
test_the_addresses_that_are_counted_are_the_kernels in tests/chapters/11_transpose/test_transpose.py compares the two.

A sector is a piece of 32 bytes. Shared memory has 32 banks: the word, 4 bytes, at address a lies in bank a / 4 % 32. In a
pass each bank reads or writes one word, on a load for all lanes that ask for it; another word of the bank needs another
pass. With 8 bytes a lane, half of the warp's lanes take part in a pass at most; with 16 bytes, a quarter.
"""


def tile(step, size):
    """(rows, columns, elements from one row to the next in shared memory, elements that a thread moves at a time)"""
    bank = max(1, 4 // size)
    if step == "wide":
        pack = 16 // size
        side = pack * (8 if size == 1 else 16)
        return side, side, side, pack
    if step == "rows":  # and columns % bank elements more from one row to the next
        return (128, 31 * bank, 33 * bank, bank) if size < 4 else (64, 64, 65, 1)
    return 32, 32, 32 + bank * (step == "padded"), 1


def addresses(step, size, pitch=4096):
    """{access: [the address of each lane, for each instruction of each warp]}, for a tile in the middle of a matrix.

    size: bytes of an element. pitch: elements of a row, of the matrix and of the result. Addresses in global memory count
    from the tile's first element, which lies at the beginning of a sector. n is the number of a thread in its block; k counts
    the elements or packs that it moves.
    """
    tall, wide, length, pack = tile(step, size)
    threads = {"rows": 256 if size == 1 else 512, "wide": tall * wide // pack**2}.get(step, 1024)
    sector, line, words = 32 // size, wide, 1  # line: elements that are loaded of a row
    if step == "rows":  # words is how many loads from shared memory a word takes that is stored
        line, words, length = (wide + pack if pack > 1 else wide), pack, length + pitch % pack
    above = max(sector, threads * pack // line) if step == "rows" else 0  # rows above the tile that are loaded as well

    def piece(n, k, across):  # (line, place in it) of the k-th piece of a thread, where so many elements are a line
        y, x = divmod(n, across // pack)
        return (pack * y + k if step == "wide" else y + k * threads * pack // across), pack * x

    def place(row, column):  # in shared memory
        swizzled = column ^ (row // pack * pack) if step in ("swizzled", "wide") else column
        return (row * length + swizzled) * size

    def from_word(element):  # where the word begins that it lies in
        return element // words * words

    def load(n, k):
        row, column = piece(n, k, line)
        return (from_word((row - above) * pitch) + column) * size

    def shift(column):  # how many elements before the tile a store begins
        return column * pitch % sector if step == "rows" else 0

    def store(n, k):
        column, row = piece(n, k, tall)
        return (column * pitch + row - shift(column)) * size if column < wide else None  # in the last round

    def shared_store(n, k):
        row, column = piece(n, k, line)
        return from_word(row * length) * size + column * size if step == "rows" else place(row, column)

    def shared_load(n, k):
        if step == "wide":
            column, row = piece(n, k, tall)
            return place(row + k, column - k)
        column, row = piece(n, k // words, tall)
        return None if column >= wide else place(above + row + k % words - shift(column), column)

    loads, stores = (above + tall) * line // (threads * pack), -(-wide * tall // (threads * pack))
    of = {"load": (load, loads), "store": (store, stores)}
    if step == "naive":
        of["store"] = lambda n, k: (n % wide * pitch + n // wide) * size, stores
    else:
        of |= {"shared store": (shared_store, loads), "shared load": (shared_load, stores * words)}
    return {
        access: [
            lanes
            for first in range(0, threads, 32)
            for k in range(steps)
            if None not in (lanes := [f(n, k) for n in range(first, first + 32)])
        ]
        for access, (f, steps) in of.items()
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


def count(step, size, pitch=4096):
    """{access: (how many for an instruction on average, how many if it went as well as it can)}"""
    pack, counted = tile(step, size)[3], {}
    for access, instructions in addresses(step, size, pitch).items():
        function = passes if "shared" in access else sectors
        width = size if (step, access) == ("rows", "shared load") else pack * size
        fewest = {sectors: width, passes: max(1, width // 4)}
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
