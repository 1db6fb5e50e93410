-- The first of a claim's two steps, for databases that refuse FOR UPDATE SKIP LOCKED: who is due and looks free in some ranges of the hash of user_id.
-- Locks nothing: another daemon can be quicker, so claim_taken.sql asks the same again. Whoever stands in an open intent of a dead lease waits until
-- recover.sql has recorded it; the list of them is read once a statement, and only where a lease was left.
-- $1 the policy's now, $2 and $3 where the last claim of this range ended (due_at, user_id), $4 most users, $5 leases of ours that live,
-- $6 ranges (top six bits of the hash, -32 to 31), $7 users whose rows somebody else holds. Rows: user_id, due_at, range.
-- No ORDER BY: one range comes in the order of its index, of many each has its own; a sort would read all that is due.
select user_id, due_at, uuid_hash(user_id) >> 26
from nudged.person p
where uuid_hash(user_id) >> 26 = any ($6::integer[])
  and due_at <= $1
  and (due_at, user_id) > ($2, $3)
  and (lease_until is null or lease_until < statement_timestamp())
  and (
      lease_id is null
      or lease_id <> all ($5)
      and user_id <> all (array(select unnest(user_ids) from nudged.intent))
  )
  and user_id <> all ($7)
limit $4
