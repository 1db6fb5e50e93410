-- Deletes tokens that a 410 proved stale, in the transaction of their settlement and after it: only where the record holds that answer. Where the
-- settlement did nothing (the lease had ended, or a promoted standby never had the intent) nothing goes either: a user who is asked again without the
-- device would get nothing, and no row would ever say why.
-- Parallel: $1 user, $2 token, $3 environment, $4 topic, $5 the answer's instant, $6 apns-id. $7 the earliest instant of the settlement's rows, which
-- leaves older partitions out. One row: deleted.
select nudged.forget_devices($1, $2, $3, $4, $5, $6, $7)
