-- As claim_messages.sql, at most $3 rows of each user and $2 in all, each user's first ones first. Of messages that
-- can't be due by $4, only the first: it says when to look again. The last column is how many can be due (10,000 and
-- more: at least so many). Run if some user has unusually many messages. $1 users.
select
    m.user_id, m.id, m.created_at, m.title, m.body, (m.data - 'conversation_id' - 'domain')::text, m.data ->> 'conversation_id', m.data ->> 'domain',
    m.urgent, m.category, m.thread_id, m.collapse_key, m.expires_at, m.apns::text, m.deliver_at, m.deliver_local at time zone 'UTC', m.pending
from unnest($1::uuid[]) as u (user_id)
cross join lateral (
    select
        f.*, count(*) filter (where not f.is_later) over () as pending,
        case when f.is_later then 1 else row_number() over (partition by f.is_later order by f.urgent desc, f.created_at, f.id) end as place
    from (
        -- Any 10,000 of them: a user with a million rows must not cost a million reads.
        (select o.*, false as is_later from nudged.message o where o.user_id = u.user_id and o.wakes_at is null limit 10000)
        union all
        (select o.*, false from nudged.message o where o.user_id = u.user_id and o.wakes_at <= $4 order by o.wakes_at limit 10000)
        union all
        (select o.*, true from nudged.message o where o.user_id = u.user_id and o.wakes_at > $4 order by o.wakes_at limit 1)
    ) f
) m
where m.place <= $3
order by m.place
limit $2
