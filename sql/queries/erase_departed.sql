-- Erases the users of nudged.departed who are due, in bounded steps. One row: how many.
select nudged.erase_departed()
