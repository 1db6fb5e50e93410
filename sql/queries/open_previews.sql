-- Open questions of this daemon's ranges, the oldest first, with the columns of claim_messages.sql in the same order. $1
-- ranges, $2 questions to skip (in hand), $3 most. Nobody waits for an answer longer than a minute.
select
    user_id, id, asked_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain', urgent, category,
    thread_id, collapse_key, expires_at, apns::text, deliver_at, deliver_local at time zone 'UTC'
from nudged.preview
where answer is null and asked_at > statement_timestamp() - interval '1 minute' and uuid_hash(user_id) >> 26 = any ($1::integer[])
    and id <> all ($2)
order by asked_at
limit $3
