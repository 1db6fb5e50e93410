-- In the intent's transaction, before it: holds the messages that it is about to name against nudged.cancel until the commit. One that was cancelled, or is being
-- cancelled, is missing in the answer, and is not written. Nobody is waited for. $1 users, $2 ids (parallel). Rows: user, id.
select m.user_id, m.id from nudged.message m
where m.user_id = any ($1) and m.id = any ($2)
for key share skip locked
