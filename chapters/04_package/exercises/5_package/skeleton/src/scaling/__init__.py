"""scale_(x, factor): multiplies x by a number, in-place."""

# your code
# end of your code
