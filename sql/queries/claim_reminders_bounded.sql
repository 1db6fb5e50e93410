-- Reminders of each claimed user that can be due by $2: at most $3, the first to wake, and the next one after $2, which
-- says when to look again. Run if some user has unusually many reminders. $1 users, $4 most rows of a user that are
-- read, $5 most rows in all.
-- $3 is for instants and for wall times apart. A wall time is read up to 26 hours before it is due, and many of them
-- must not displace what is due now.
select
    o.user_id, o.id, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.due_at, o.due_local at time zone 'UTC', o.timezone,
    o.is_own, o.recurrence, o.number, o.first_at, o.first_local at time zone 'UTC', o.planned_local at time zone 'UTC', o.restored_at, o.wakes_at,
    (o.apns - 'data')::text, ((o.apns -> 'data') - 'conversation_id' - 'domain')::text, o.apns #>> '{data,conversation_id}', o.apns #>> '{data,domain}',
    o.is_fan_out
from unnest($1::uuid[]) as u (user_id)
cross join lateral (
    (
        select d.*, row_number() over (partition by d.user_id, d.due_at is null order by d.wakes_at) as place
        from (
            select * from nudged.occurrence f
            where f.user_id = u.user_id and f.wakes_at <= $2 and not f.is_fan_out
            order by f.wakes_at
            limit $4
        ) d
    )
    union all
    (
        select n.*, 1 from nudged.occurrence n
        where n.user_id = u.user_id and n.wakes_at > $2 and not n.is_fan_out
        order by n.wakes_at
        limit 1
    )
) o
where o.place <= $3
order by o.place
limit $5
