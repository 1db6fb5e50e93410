-- Messages of claimed users. $1 users, $2 most rows: as many as that say that somebody has more waiting than people have, and claim_messages_bounded.sql is asked.
-- The members that the payload has places of its own for are read beside the rest of data.
select
    user_id, id, created_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain', urgent, category,
    thread_id, collapse_key, expires_at
from nudged.message
where user_id = any ($1)
limit $2
