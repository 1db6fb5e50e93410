-- As claim_messages_bounded.sql, for distributed tables, which refuse a LIMIT for each user. All messages of these
-- users are read on their machines, and counted exactly. Parameters and rows are the same.
select
    user_id, id, created_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain',
    urgent, category, thread_id, collapse_key, expires_at, pending
from (
    select
        m.*,
        row_number() over (partition by m.user_id order by m.urgent desc, m.created_at, m.id) as place,
        count(*) over (partition by m.user_id) as pending
    from nudged.message m
    where m.user_id = any ($1)
) w
where place <= $3
order by place
limit $2
