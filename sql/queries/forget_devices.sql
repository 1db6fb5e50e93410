-- Deletes tokens that a 410 proved stale: only where the record holds that answer, and only where the device has not registered anew since.
-- Where a user was erased meanwhile nothing is in the record, and nothing is deleted.
-- Parallel: $1 user, $2 token, $3 environment, $4 topic, $5 the answer's instant, $6 apns-id. $7 the earliest instant of the settlement's rows, which
-- leaves older partitions out. One row: deleted.
select nudged.forget_devices($1, $2, $3, $4, $5, $6, $7)
