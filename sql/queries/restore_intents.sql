-- Pushes in flight of members whose lease has ended, and of orphans: after a restore they are recorded as unknown. It
-- locks nothing. There are at most as many as daemons may have in flight. One row: pushes.
select count(*)
from nudged.intent i
cross join lateral unnest(i.user_ids) as o (user_id)
where i.withdrawn_until is null
  and o.user_id <> all (i.settled)
  and (i.member is null or i.member not in (select member from nudged.lease where alive_until > statement_timestamp()))
