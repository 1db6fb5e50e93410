-- Deletes tokens that a 410 proved stale, if the record holds that answer and the device has not registered again
-- since.
-- If a user was erased meanwhile, the record holds nothing, and nothing is deleted.
-- Parallel: $1 user, $2 token, $3 environment, $4 topic, $5 the answer's instant, $6 apns-id. $7 the earliest instant
-- of the settlement's rows, which leaves older partitions out. One row: how many were deleted.
select nudged.forget_devices($1, $2, $3, $4, $5, $6, $7)
