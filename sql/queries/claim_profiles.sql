-- Profiles of claimed users. $1 users, $2 most bytes of preferences and context in all. If there are more, none is
-- returned, and the caller asks for fewer users.
-- The app's columns have the app's types (varchar, an enum, json), so each is cast. A value that is too long is
-- recognised by its stored size, before it is expanded.
with profile as materialized (
    select
        user_id, nudged.preferences_text(preferences) as preferences,
        case when pg_column_size(timezone) <= 520 and pg_column_compression(timezone) is null then left(timezone::text, 128)
            when timezone is not null then 'too long' end as timezone,
        first_session_complete::boolean as first_session_complete, nudged.context_text(known) as context
    -- An operator's view may have no column `context`. Then this name is the one of `without`.
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
