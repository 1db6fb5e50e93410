-- Locks the messages and reminders of an intent against nudged_api.cancel, nudged_api.cancel_reminders and the like,
-- until the commit. It runs in the intent's transaction, before the intent. A message or reminder that was cancelled,
-- or is being cancelled, is missing in the result and is not sent. The query waits for nobody.
-- $1 users, $2 ids (parallel). Rows: user, id.
with messages as (
    select m.user_id, m.id from nudged.message m
    where m.user_id = any ($1) and m.id = any ($2)
    for key share skip locked
),
reminders as (
    select o.user_id, o.id from nudged.occurrence o
    where o.user_id = any ($1) and o.id = any ($2)
    for key share skip locked
)
select user_id, id from messages union all select user_id, id from reminders
