-- As hold_messages.sql, for distributed tables, which refuse FOR KEY SHARE across shards: an UPDATE that changes nothing holds the rows as well.
-- It waits for a cancellation under way, as long as the lock's time-out lets it.
update nudged.message m set urgent = urgent
where m.user_id = any ($1) and m.id = any ($2)
returning m.user_id, m.id
