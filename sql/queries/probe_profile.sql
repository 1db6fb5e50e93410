-- Reads one column of a user's profile as claim_profiles.sql does, to find the one that is refused. $1 user, $2 column.
select case $2::text
    when 'preferences' then octet_length(nudged.preferences_text(preferences))
    when 'timezone' then octet_length(left(timezone::text, 128))
    when 'first_session_complete' then first_session_complete::boolean::integer
    when 'context' then octet_length(nudged.context_text(known))
end
from (select null::jsonb as context) as without
cross join lateral (
    select preferences, timezone, first_session_complete, context as known from nudged.recipient where user_id = $1
) as recipient
