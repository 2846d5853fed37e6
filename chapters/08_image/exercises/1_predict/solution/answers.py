"""Your answers. Each is None until you know it."""

# img is a new tensor of 100 x 200 pixels (uint8, 100 x 200 x 3), and crop = img[10:50, 7:57]. How many bytes lie between
# the beginnings of two rows of the crop?
# your code
ROW_STRIDE = 600
# end of your code

# How many bytes past the beginning of img does the crop begin?
# your code
FIRST = 6021
# end of your code

# rgb_to_gray(crop): what is `shift` in row 0? img begins at a multiple of 16, and so do the results.
# your code
SHIFT = 5
# end of your code

# A row of the results has 50 bytes. What is `begin` of the thread with chunk = 0 in row 1?
# your code
BEGIN = -2
# end of your code
