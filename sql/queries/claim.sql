-- name: claim_people
-- Users who are due in this daemon's ranges. Locks nothing and writes nothing: only the owner of a range works on its
-- users. Users of orphans are skipped until these are recorded. So are users of this member's intents whose users its
-- daemon doesn't have all in hand, if their turn is open: a promoted standby lacks their settlement. Other members'
-- intents hold no users of these ranges. Users who were deleted from auth.users wait for their erasure. $1 due up to,
-- $2 and $3 the walk's position (due_at, user_id), $4 most users, $5 ranges, $6 users to skip (set aside, or in hand),
-- $7 this member, $8 the intents whose users are all in hand. No ORDER BY: one range comes in the order of its index,
-- several each in their own. A sort would read all who are due.
select user_id, turn, version, due_at, evaluated_at, since, touched_at, retry::text, quarantine::text, state, ignored
from nudged.person p where uuid_hash(user_id) >> 26 = any ($5::integer[]) and due_at <= $1 and (due_at, user_id) > ($2, $3)
  -- "is not true" keeps the planner from weighing each element of the list, so it is a hashed subplan.
  and (user_id in (select unnest($6::uuid[]))) is not true
  -- A user and their turn as one number, so it is a hashed subplan too: it can hold all that is in flight.
  -- Two users with one hash only wait for each other.
  and ((uuid_hash(user_id)::bigint << 32) + turn in (
      select (uuid_hash(o.user_id)::bigint << 32) + o.turn
      from nudged.intent i cross join lateral unnest(i.user_ids, i.turns) as o (user_id, turn)
      where (i.member is null or i.member = $7 and i.id <> all ($8)) and (o.user_id in (select unnest($6::uuid[]))) is not true
  )) is not true
  -- A subquery is looked up for each user. A join could read all of them: this plan may be older than they are.
  and (select count(*) from nudged.departed d where d.user_id = p.user_id and not d.is_erased) = 0
limit $4

-- name: due_floor
-- The oldest due_at of users who are due, and how many were read. If a long transaction elsewhere keeps dead rows, the
-- head of the index is full of dead entries, and claims start their walks after them. $1 now, $2 ranges, $3 most rows.
select count(*), min(due_at)
from (select due_at from nudged.person where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1 limit $3) as due

-- name: claim_profiles
-- Profiles of claimed users. $1 users, $2 most bytes of preferences and context in all, $3 most rows. If there are
-- more, the caller asks for fewer users. The app's columns have the app's types (varchar, an enum, json), so each is
-- cast. A value that is too long is recognised by its stored size, before it is expanded. varchar(n) cuts as left(text,
-- n) does, and counts no characters of a short text.
with profile as materialized (
    select
        user_id, nudged.preferences_text(preferences) as preferences,
        case when pg_column_size(timezone) <= 520 and pg_column_compression(timezone) is null then timezone::text::varchar(128)::text
            when timezone is not null then 'too long' end as timezone,
        first_session_complete::boolean as first_session_complete, nudged.context_text(known) as context
    -- An operator's view may have no column `context`. Then this name is the one of `without`.
    from (select null::jsonb as context) as without cross join lateral (
        select user_id, preferences, timezone, first_session_complete, context as known from nudged.recipient where user_id = any ($1)
    ) as recipient
),
size as materialized (select coalesce(sum(coalesce(octet_length(preferences), 0) + coalesce(octet_length(context), 0)), 0)::bigint as bytes from profile)
select user_id, case when bytes <= $2 then preferences end, timezone, first_session_complete, case when bytes <= $2 then context end, bytes
from profile cross join size limit $3

-- name: claim_devices
-- Devices of claimed users. $1 users, $2 most rows: if so many come, `claim_devices_bounded` is run. A token, environment
-- or topic that is too long is recognised by its stored size, before it is expanded.
select
    user_id,
    case when pg_column_size(token) <= 2052 and pg_column_compression(token) is null then token::text::varchar(512)::text
        when token is not null then 'too long' end as token,
    -- Infinity or the year 294270 counts as no instant. It is compared before the cast, since the cast can fail.
    case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
    case when pg_column_size(environment) <= 1028 and pg_column_compression(environment) is null then nullif(environment::text::varchar(256)::text, '')
        when environment is not null then 'too long' end as environment,
    case when pg_column_size(topic) <= 1028 and pg_column_compression(topic) is null then nullif(topic::text::varchar(256)::text, '')
        when topic is not null then 'too long' end as topic
from nudged.device where user_id = any ($1) limit $2

-- name: claim_devices_bounded
-- The newest hundred devices of each claimed user, of at most $2 rows of each. Run if some user has unusually many
-- devices. $1 users. Columns as in `claim_devices`.
select d.user_id, d.token, d.registered_at, d.environment, d.topic
from unnest($1::uuid[]) as u (user_id) cross join lateral (
    select
        f.user_id,
        case when pg_column_size(f.token) <= 2052 and pg_column_compression(f.token) is null then f.token::text::varchar(512)::text
            when f.token is not null then 'too long' end as token,
        case when f.registered_at between '0001-01-01' and '9999-12-31' then f.registered_at::timestamptz end as registered_at,
        case when pg_column_size(f.environment) <= 1028 and pg_column_compression(f.environment) is null then nullif(f.environment::text::varchar(256)::text, '')
            when f.environment is not null then 'too long' end as environment,
        case when pg_column_size(f.topic) <= 1028 and pg_column_compression(f.topic) is null then nullif(f.topic::text::varchar(256)::text, '')
            when f.topic is not null then 'too long' end as topic,
        row_number() over (partition by f.user_id order by f.registered_at desc nulls last) as place
    from (select * from nudged.device o where o.user_id = u.user_id limit $2) f
) d where d.place <= 100

-- name: claim_devices_distributed
-- As `claim_devices_bounded`, for distributed tables, which refuse a LIMIT for each user. All devices of these users
-- are read, on their machines. $1 users, $2 has no effect.
select user_id, token, registered_at, environment, topic from (
    select
        user_id,
        case when pg_column_size(token) <= 2052 and pg_column_compression(token) is null then token::text::varchar(512)::text
            when token is not null then 'too long' end as token,
        case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end as registered_at,
        case when pg_column_size(environment) <= 1028 and pg_column_compression(environment) is null then nullif(environment::text::varchar(256)::text, '')
            when environment is not null then 'too long' end as environment,
        case when pg_column_size(topic) <= 1028 and pg_column_compression(topic) is null then nullif(topic::text::varchar(256)::text, '')
            when topic is not null then 'too long' end as topic,
        row_number() over (partition by user_id order by registered_at desc nulls last) as place
    from nudged.device where user_id = any ($1)
) one where place <= 100 and $2::bigint is not null

-- name: claim_seen
-- When the app last saw claimed users. $1 users.
select user_id, at from nudged.seen where user_id = any ($1)

-- name: claim_surfaces
-- Tokens of Live Activities, widgets and controls of claimed users. Run if a message is for one. $1 users, $2 rows each.
select user_id, surface, token, registered_at, environment, topic from (
    select user_id, surface, token, registered_at, environment, topic, row_number() over (partition by user_id order by registered_at desc) as place
    from nudged.surface where user_id = any ($1)
) one where place <= $2

-- name: claim_messages
-- Messages of claimed users, those for a later time too. $1 users, $2 most rows. If so many come, some user has
-- unusually many messages, and `claim_messages_bounded` is run. Wall times are returned as if they were in UTC.
-- In the payload, conversation_id and domain have places of their own, so they are read apart from the rest of data.
select
    user_id, id, created_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain', urgent, category,
    thread_id, collapse_key, expires_at, apns::text, deliver_at, deliver_local at time zone 'UTC', texts::text
from nudged.message where user_id = any ($1) limit $2

-- name: claim_messages_bounded
-- As `claim_messages`, at most $3 rows of each user and $2 in all, each user's first ones first. Of messages that
-- can't be due by $4, only the first: it says when to look again. The last column is how many can be due (10,000 and
-- more: at least so many). Run if some user has unusually many messages. $1 users.
select
    m.user_id, m.id, m.created_at, m.title, m.body, (m.data - 'conversation_id' - 'domain')::text, m.data ->> 'conversation_id', m.data ->> 'domain',
    m.urgent, m.category, m.thread_id, m.collapse_key, m.expires_at, m.apns::text, m.deliver_at, m.deliver_local at time zone 'UTC', m.texts::text,
    m.pending
from unnest($1::uuid[]) as u (user_id) cross join lateral (
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
) m where m.place <= $3 order by m.place limit $2

-- name: claim_messages_distributed
-- As `claim_messages_bounded`, for distributed tables, which refuse a LIMIT for each user. All messages of these
-- users are read on their machines, and counted exactly. Parameters and rows are the same.
select
    user_id, id, created_at, title, body, (data - 'conversation_id' - 'domain')::text, data ->> 'conversation_id', data ->> 'domain',
    urgent, category, thread_id, collapse_key, expires_at, apns::text, deliver_at, deliver_local at time zone 'UTC', texts::text, pending
from (
    select
        f.*,
        row_number() over (partition by f.user_id, f.is_later order by case when f.is_later then f.wakes_at end, f.urgent desc, f.created_at, f.id) as place,
        count(*) filter (where not f.is_later) over (partition by f.user_id) as pending
    from (select m.*, coalesce(m.wakes_at > $4, false) as is_later from nudged.message m where m.user_id = any ($1)) f
) w where place <= case when is_later then 1 else $3 end order by place limit $2

-- name: claim_reminders
-- Reminders of claimed users. $1 users, $2 most rows. If so many come, some user has unusually many reminders, and
-- `claim_reminders_bounded` is run. The daemon skips the fan-outs. Wall times are returned as if they were in UTC.
select
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, due_local at time zone 'UTC', timezone,
    is_own, recurrence, number, first_at, first_local at time zone 'UTC', planned_local at time zone 'UTC', restored_at, wakes_at,
    (apns - 'data')::text, ((apns -> 'data') - 'conversation_id' - 'domain')::text, apns #>> '{data,conversation_id}', apns #>> '{data,domain}', is_fan_out
from nudged.occurrence where user_id = any ($1) limit $2

-- name: claim_reminders_bounded
-- Reminders of each claimed user that can be due by $2: at most $3, the first to wake, and the next one after $2, which
-- says when to look again. Run if some user has unusually many reminders. $1 users, $4 most rows of a user that are
-- read, $5 most rows in all. $3 is for instants and for wall times apart. A wall time is read up to 26 hours before it
-- is due, and many of them must not displace what is due now.
select
    o.user_id, o.id, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.due_at, o.due_local at time zone 'UTC', o.timezone,
    o.is_own, o.recurrence, o.number, o.first_at, o.first_local at time zone 'UTC', o.planned_local at time zone 'UTC', o.restored_at, o.wakes_at,
    (o.apns - 'data')::text, ((o.apns -> 'data') - 'conversation_id' - 'domain')::text, o.apns #>> '{data,conversation_id}', o.apns #>> '{data,domain}',
    o.is_fan_out
from unnest($1::uuid[]) as u (user_id) cross join lateral (
    (
        select d.*, row_number() over (partition by d.user_id, d.due_at is null order by d.wakes_at) as place
        from (select * from nudged.occurrence f where f.user_id = u.user_id and f.wakes_at <= $2 and not f.is_fan_out order by f.wakes_at limit $4) d
    )
    union all
    (select n.*, 1 from nudged.occurrence n where n.user_id = u.user_id and n.wakes_at > $2 and not n.is_fan_out order by n.wakes_at limit 1)
) o where o.place <= $3 order by o.place limit $5

-- name: claim_reminders_distributed
-- As `claim_reminders_bounded`, for distributed tables, which refuse a LIMIT for each user. All reminders of these
-- users are read, on their machines. Parameters and rows are the same, but $4 has no effect.
select
    user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, due_at, due_local at time zone 'UTC', timezone,
    is_own, recurrence, number, first_at, first_local at time zone 'UTC', planned_local at time zone 'UTC', restored_at, wakes_at,
    (apns - 'data')::text, ((apns -> 'data') - 'conversation_id' - 'domain')::text, apns #>> '{data,conversation_id}', apns #>> '{data,domain}', is_fan_out
from (
    select o.*, row_number() over (partition by o.user_id, o.wakes_at > $2, o.due_at is null order by o.wakes_at) as place
    from nudged.occurrence o where o.user_id = any ($1) and not o.is_fan_out
) w where place <= case when wakes_at <= $2 then $3 else 1 end and $4::bigint is not null order by place limit $5

-- name: live_reminders
-- Which of these reminders exist. If one doesn't, it was cancelled while a push was on its way. The author's row may be
-- on another machine, so it is read by itself. $1 authors, $2 ids.
select id from nudged.reminder where user_id = any ($1) and id = any ($2)

-- name: templates
-- The active templates of check-ins, in an order that never changes. $1 most rows; more are not read.
select id, domain, locale, title, body, weight, action, (apns - 'data')::text, (apns -> 'data')::text
from nudged.template where active order by id limit $1

-- name: free_people
-- Which of these users' rows are not locked, or don't exist. Run when one was waited for in vain. $1 users.
with free as (select user_id from nudged.person where user_id = any ($1) for update skip locked)
select user_id from free union all
-- "is true" keeps the planner from making it a join, so it is a hashed subplan.
select u from unnest($1::uuid[]) as u where (u in (select user_id from nudged.person where user_id = any ($1))) is not true

-- name: postpone
-- Sets when users are due. Parallel, in the order of user_id, like all writers that wait for locks: $1 user, $2 the
-- version at the claim (null: any version), $3 when they are due. A user who was changed meanwhile stays due.
update nudged.person p set due_at = w.due_at
from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as w (user_id, version, due_at)
where p.user_id = w.user_id and (w.version is null or p.version = w.version)

-- name: probe_profile
-- Reads one column of a user's profile as `claim_profiles` does, to find the one that is refused. $1 user, $2 column.
select case $2::text
    when 'preferences' then octet_length(nudged.preferences_text(preferences))
    when 'timezone' then octet_length(timezone::text::varchar(128)::text)
    when 'first_session_complete' then first_session_complete::boolean::integer
    when 'context' then octet_length(nudged.context_text(known))
end
from (select null::jsonb as context) as without
cross join lateral (select preferences, timezone, first_session_complete, context as known from nudged.recipient where user_id = $1) as recipient

-- name: probe_devices
-- Reads one column of a user's devices as `claim_devices` does, to find what is refused. $1 user, $2 column.
select case $2::text
    when 'token' then octet_length(token::text::varchar(512)::text)
    when 'registered_at' then extract(epoch from case when registered_at between '0001-01-01' and '9999-12-31' then registered_at::timestamptz end)::bigint
    when 'environment' then octet_length(environment::text::varchar(256)::text)
    when 'topic' then octet_length(topic::text::varchar(256)::text)
end
from nudged.device where user_id = $1 limit 1000

-- name: probe_messages
-- Reads one column of a user's messages as `claim_messages` does, to find the one that is refused. $1 user, $2 column.
select case $2::text
    when 'title' then octet_length(title) when 'body' then octet_length(body) when 'texts' then octet_length(texts::text)
    when 'data' then octet_length((data - 'conversation_id' - 'domain')::text) when 'apns' then octet_length(apns::text)
    when 'category' then octet_length(category) when 'thread_id' then octet_length(thread_id)
    when 'collapse_key' then octet_length(collapse_key)
    when 'deliver_local' then extract(epoch from deliver_local at time zone 'UTC')::bigint
end
from nudged.message where user_id = $1 limit 1000

-- name: probe_reminders
-- Reads one column of a user's reminders as `claim_reminders` does, to find what is refused. $1 user, $2 column.
select case $2::text
    when 'subject_type' then octet_length(subject_type) when 'subject_id' then octet_length(subject_id)
    when 'title' then octet_length(title) when 'body' then octet_length(body) when 'apns' then octet_length(apns::text)
    when 'due_local' then extract(epoch from due_local at time zone 'UTC')::bigint
    when 'timezone' then octet_length(timezone) when 'recurrence' then octet_length(recurrence)
end
from nudged.occurrence where user_id = $1 limit 1000

-- name: analysed
-- When the decision service was asked about a user. $1 user. No row: the user was erased.
select coalesce(analysed, '{}') from nudged.person where user_id = $1

-- name: note_analysed
-- Records a question to the decision service before it is asked. $1 user, $2 all instants. No row: the user is erased.
update nudged.person set analysed = $2 where user_id = $1 returning user_id
