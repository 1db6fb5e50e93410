-- name: open_previews
-- Open questions of this daemon's ranges, the oldest first, with the columns of `claim_messages` in the same order. $1
-- ranges, $2 questions to skip (in hand), $3 most. Nobody waits for an answer longer than a minute.
select
    user_id, id, asked_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain', urgent, category,
    thread_id, collapse_key, expires_at, apns::text, deliver_at, deliver_local at time zone 'UTC', texts::text
from nudged.preview
where answer is null and asked_at > statement_timestamp() - interval '1 minute' and uuid_hash(user_id) >> 26 = any ($1::integer[])
    and id <> all ($2)
order by asked_at limit $3

-- name: answer_preview
-- Answers a question. $1 user, $2 question, $3 the answer. Rows: the question, if it was open.
update nudged.preview set answer = nudged.readable($3) where user_id = $1 and id = $2 and answer is null returning id

-- name: prune_previews
-- Deletes questions that nobody waits for any more, and answers that are five minutes old. Rows: none.
delete from nudged.preview
where asked_at < statement_timestamp() - interval '5 minutes' or answer is null and asked_at < statement_timestamp() - interval '1 minute'
