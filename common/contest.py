"""Contest: an operator and those it is compared with at random shapes, by `make sweep`."""

import dataclasses
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class Contest:
    """What a chapter's sweep() says of an operator: {its name in what build() returns, and perhaps ", words": Contest(...)}.

    formula    the same in torch's operations. The result is checked against it, with the arguments in a wider dtype, and it is
               what torch.compile gets
    inputs     (rows, columns, dtype) -> tuple of arguments
    keywords   of the operator, not of the formula
    moves      how many tensors of rows x columns elements of that dtype a call reads and writes: what fits into memory
    sides      2, or more where inputs() adds sides or changes them: a call then moves other numbers of bytes
    dtypes     those that the operator takes
    torch      torch's side of the contest where it is not the formula: autograd_of() for a backward kernel
    tolerance  dtype -> the largest error, as a fraction of an element plus that of the root mean square of all; 0: no error
    peers      name -> function that returns one more contender, with the arguments of the operator. It raises ImportError
               where a library is missing. A peer that refuses a shape or a dtype stays out of it
    named      (rows, columns, dtype) of shapes that are in every sweep

    The sweep calls sweep() anew for each shape, so what autograd_of() has kept of another shape is gone.
    """

    formula: Callable
    inputs: Callable
    moves: int
    dtypes: tuple
    sides: int = 2
    torch: Callable | None = None
    tolerance: Callable = lambda dtype: 0
    keywords: dict = dataclasses.field(default_factory=dict)
    peers: dict[str, Callable] = dataclasses.field(default_factory=dict)
    named: tuple = ()
