-- Erases users who were deleted from auth.users while somebody held their rows, in bounded steps. One row: how many.
select nudged.erase_departed()
