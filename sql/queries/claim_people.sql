-- Users who are due in this daemon's ranges. Locks nothing and writes nothing: only the owner of a range works on its
-- users.
-- Users of orphans are skipped, since recover.sql records them first. So are users of intents of this member that the
-- daemon doesn't know: a promoted standby lacks their settlement. Other members' intents hold no users of these ranges.
-- $1 due up to, $2 and $3 the walk's position (due_at, user_id), $4 most users, $5 ranges, $6 users to skip (in hand,
-- or set aside), $7 this member, $8 its open intents that the daemon knows of (their users are in hand).
-- No ORDER BY: one range comes in the order of its index, several ranges each in an order of their own. A sort would
-- read all users who are due.
select
    user_id, version, due_at, touched_at, since, fingerprint, evaluated_at, check_in_at, check_in_slot, closed, sent, retry::text,
    quarantine::text, template, uuid_hash(user_id) >> 26
from nudged.person p
where uuid_hash(user_id) >> 26 = any ($5::integer[])
  and due_at <= $1
  and (due_at, user_id) > ($2, $3)
  and user_id <> all ($6)
  and user_id <> all (array(
      select o.user_id from nudged.intent i cross join lateral unnest(i.user_ids) as o (user_id)
      where (i.member is null or i.member = $7 and i.id <> all ($8)) and o.user_id <> all (i.settled)
  ))
limit $4
