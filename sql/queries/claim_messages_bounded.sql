-- As claim_messages.sql, at most $3 rows of each user and $2 in all, each user's first ones first. The last column is
-- how many wait for the user (10,000: at least so many). Run if some user has unusually many messages. $1 users.
select
    m.user_id, m.id, m.created_at, m.title, m.body, (m.data - 'conversation_id' - 'domain')::text, m.data ->> 'conversation_id', m.data ->> 'domain',
    m.urgent, m.category, m.thread_id, m.collapse_key, m.expires_at, m.pending
from unnest($1::uuid[]) as u (user_id)
cross join lateral (
    select f.*, row_number() over (order by f.urgent desc, f.created_at, f.id) as place, count(*) over () as pending
    -- Any 10,000 of them: a user with a million rows must not cost a million reads.
    from (select * from nudged.message o where o.user_id = u.user_id limit 10000) f
) m
where m.place <= $3
order by m.place
limit $2
