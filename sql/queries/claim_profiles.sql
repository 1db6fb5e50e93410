-- Profiles of claimed users. $1 users, $2 most bytes of preferences and context in all: of more, none is sent, and the caller asks for fewer users.
-- The app's columns have the app's types (varchar, an enum, json): each is read as one of ours. What is too long is seen by its stored size, before it is expanded.
with profile as materialized (
    select
        user_id, nudged.preferences_text(preferences) as preferences,
        case when pg_column_size(timezone) <= 520 and pg_column_compression(timezone) is null then left(timezone::text, 128)
            when timezone is not null then 'too long' end as timezone,
        first_session_complete::boolean as first_session_complete, nudged.context_text(known) as context
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
