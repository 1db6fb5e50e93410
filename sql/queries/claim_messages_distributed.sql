-- As claim_messages_bounded.sql, for distributed tables, which refuse a LIMIT for each user. All messages of these
-- users are read on their machines, and counted exactly. Parameters and rows are the same.
select
    user_id, id, created_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain',
    urgent, category, thread_id, collapse_key, expires_at, apns::text, deliver_at, deliver_local at time zone 'UTC', pending
from (
    select
        f.*,
        row_number() over (
            partition by f.user_id, f.is_later
            order by case when f.is_later then f.wakes_at end, f.urgent desc, f.created_at, f.id
        ) as place,
        count(*) filter (where not f.is_later) over (partition by f.user_id) as pending
    from (select m.*, coalesce(m.wakes_at > $4, false) as is_later from nudged.message m where m.user_id = any ($1)) f
) w
where place <= case when is_later then 1 else $3 end
order by place
limit $2
