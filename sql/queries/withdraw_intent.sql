-- Before a chunk is settled whose intent may or may not have been committed (the connection was lost, or the answer came too late): takes the intent's
-- place. A commit under way is waited for, as a unique key waits; one that comes later finds the place taken and fails. The empty row goes when it
-- expires, like any other. $1 lease id, $2 chunk number, $3 lease in milliseconds, $4 sweep id, $5 the policy's now.
insert into nudged.intent (lease_id, number, expires_at, sweep_id, attempted_at, user_ids, kinds, keys, slots, device_hashes, apns_ids)
values ($1, $2, statement_timestamp() + $3 * interval '1 millisecond', $4, $5, '{}', '{}', '{}', '{}', '{}', '{}')
on conflict do nothing
