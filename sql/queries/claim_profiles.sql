-- Profiles of claimed users. $1 users, $2 most bytes of preferences and context in all: of more, none is sent, and the caller asks for fewer users.
-- The app's columns have the app's types (varchar, an enum, timestamp, json): each is read as one of ours, and a value that is too long is cut.
-- One character more than preferences may have, so that the policy can say so. left() walks through every character, so it is asked only where a value could be
-- too long: what is stored in 700 bytes is never more than 64,000 (pglz makes at most 273 bytes of 3).
with profile as materialized (
    select
        user_id,
        case when pg_column_size(preferences) <= 700 then preferences::text else left(preferences::text, 65537) end as preferences,
        left(timezone::text, 128) as timezone, first_session_complete::boolean as first_session_complete,
        case when pg_column_size(known) <= 700 then known::text else left(known::text, 8193) end as context
    -- A view that an operator made without a column context has no such name: then it is the one outside.
    from (select null::jsonb as context) as without
    cross join lateral (
        select user_id, preferences, timezone, first_session_complete, context as known from nudged.recipient where user_id = any ($1)
    ) as recipient
),
size as materialized (
    select coalesce(sum(octet_length(coalesce(preferences, '')) + octet_length(coalesce(context, ''))), 0)::bigint as bytes from profile
)
select
    user_id, case when bytes <= $2 then preferences end, timezone, first_session_complete, case when bytes <= $2 then context end, bytes
from profile cross join size
