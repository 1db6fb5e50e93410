-- As hold_messages.sql, for distributed tables, which refuse FOR KEY SHARE across shards. An UPDATE that changes
-- nothing locks the rows as well. It waits for a cancellation under way, up to the lock time-out.
with messages as (
    update nudged.message m set urgent = urgent
    where m.user_id = any ($1) and m.id = any ($2)
    returning m.user_id, m.id
),
reminders as (
    update nudged.occurrence o set is_own = is_own
    where o.user_id = any ($1) and o.id = any ($2)
    returning o.user_id, o.id
)
select user_id, id from messages union all select user_id, id from reminders
