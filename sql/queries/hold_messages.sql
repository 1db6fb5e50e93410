-- In the intent's transaction, before it: holds the messages and the reminders that it is about to name against nudged.cancel, nudged.cancel_reminders and their
-- like until the commit. One that was cancelled, or is being cancelled, is missing in the answer, and is not written. Nobody is waited for.
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
