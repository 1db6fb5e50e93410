-- Deletes dedupe keys older than 30 days, in bounded steps. One row: how many were deleted.
select nudged.prune_message_keys()
