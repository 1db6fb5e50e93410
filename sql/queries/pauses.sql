-- Kinds that are paused, or were resumed while not all users who were held are due yet. Rows: kind, since, held_since,
-- by_whom, reason, resumed_at.
select kind, since, held_since, by_whom, reason, resumed_at from nudged.paused order by kind
