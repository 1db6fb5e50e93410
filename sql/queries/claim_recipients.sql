-- What the policy asks about claimed users' profiles; read once their rows are ours, in the same transaction. $1 users.
-- The app's columns have the app's types (varchar, an enum, timestamp, json): we read ours, and of a value that is too long to be one its head: of
-- preferences one character more than they may have, so that the policy can say so.
-- left() walks through every character, so it is asked only where a value could be too long: what is stored in 700 bytes is never more than 64,000
-- (pglz makes at most 273 bytes of 3).
select
    user_id,
    case when pg_column_size(preferences) <= 700 then preferences::text else left(preferences::text, 65537) end,
    left(timezone::text, 128), first_session_complete::boolean,
    case when pg_column_size(known) <= 700 then known::text else left(known::text, 8193) end
-- A view that an operator made before there was a context has no such column: then the name finds the one outside.
from (select null::jsonb as context) as without
cross join lateral (
    select user_id, preferences, timezone, first_session_complete, context as known from nudged.recipient where user_id = any ($1)
) as recipient
