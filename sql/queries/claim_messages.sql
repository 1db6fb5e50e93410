-- Messages of claimed users. $1 users, $2 most rows. If so many come, some user has unusually many messages, and
-- claim_messages_bounded.sql is run.
-- Those that wait for a later time are among the rows. Wall times are returned as if they were in UTC.
-- In the payload, conversation_id and domain have places of their own, so they are read apart from the rest of data.
select
    user_id, id, created_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain', urgent, category,
    thread_id, collapse_key, expires_at, apns::text, deliver_at, deliver_local at time zone 'UTC'
from nudged.message
where user_id = any ($1)
limit $2
