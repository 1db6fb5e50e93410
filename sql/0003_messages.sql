-- Messages: what an app says to a user now. An app calls nudged_api.send in its own transaction. So a message exists
-- exactly if what it is about was committed. The next sweep finds it. There is no NOTIFY, since that serialises the
-- commits of a whole database.

-- Messages that wait. The functions below insert them; they are deleted when they end. The record (nudged.delivery)
-- keeps their outcome, never the text.
create table nudged.message (
    user_id uuid not null,
    id uuid not null,
    created_at timestamptz not null default clock_timestamp(),
    -- A payload has at most 4,096 bytes (nudged.check_message). Numbers need more room in jsonb than in text.
    title text not null check (octet_length(title) <= 4096),
    body text not null check (octet_length(body) <= 4096),
    data jsonb check (pg_column_size(data) <= 65536),
    urgent boolean not null default false,
    category text check (octet_length(category) <= 255),
    thread_id text check (octet_length(thread_id) <= 255),
    collapse_key text check (octet_length(collapse_key) <= 255),
    expires_at timestamptz,
    primary key (user_id, id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
-- nudged_api.cancel knows only the id. The index is not unique, since every unique key of a table about users holds
-- user_id.
create index message_id on nudged.message (id);

-- The id that each dedupe_key got, for 30 days (nudged.prune_message_keys). No caller repeats a call for longer.
create table nudged.message_key (
    user_id uuid not null,
    key text not null check (octet_length(key) <= 255),
    id uuid not null,
    at timestamptz not null default now(),
    primary key (user_id, key)
);
create index message_key_at on nudged.message_key (at);

alter table nudged.message enable row level security;
alter table nudged.message_key enable row level security;

-- The length of a push's payload in bytes, as the daemon renders it (Notification+Rendering.swift; a test compares
-- them).
create function nudged.payload_bytes(title text, body text, data jsonb, urgent boolean, category text, thread_id text) returns integer
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
    select octet_length('{"aps":{"alert":{"title":,"body":},"sound":"default"},"action":"new_conversation"}')
        + octet_length(to_json(coalesce(title, ''))::text) + octet_length(to_json(coalesce(body, ''))::text)
        + coalesce(octet_length(',"thread-id":') + octet_length(to_json(thread_id)::text), 0)
        + coalesce(octet_length(',"category":') + octet_length(to_json(category)::text), 0)
        + case when urgent then octet_length(',"interruption-level":"time-sensitive"') else 0 end
        -- With a conversation the action is open_conversation, one byte longer than new_conversation.
        + case when data ? 'conversation_id' then octet_length(',"conversation_id":"00000000-0000-0000-0000-000000000000"') + 1 else 0 end
        + coalesce(octet_length(',"domain":') + octet_length((data -> 'domain')::text), 0)
        + case when data - 'conversation_id' - 'domain' <> '{}' then octet_length((data - 'conversation_id' - 'domain')::text) - 1 else 0 end
$$;

-- Whether a phone would show nothing of this text. It is empty, or holds only white space and invisible characters
-- (U+00A0, U+200B, U+3000 and so on). Bytes are compared: what \s means depends on the locale, and which characters can
-- be written here depends on the encoding.
create function nudged.is_blank(phrase text) returns boolean
language sql stable parallel safe
as $$
    select case when phrase ~ '[!-~]' then false else coalesce(
        pg_catalog.encode(pg_catalog.convert_to(phrase, 'UTF8'), 'hex')
            ~ '^([01][0-9a-f]|20|7f|c2[89][0-9a-f]|c2a[0d]|d89c|e19a80|e1a08e|e280(8[0-9a-f]|a[89a-f])|e2819f|e281a[0-9a-f]|e38080|efbbbf)*$',
        true) end
$$;

-- How many messages may wait for one user.
create function nudged.max_messages() returns integer
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
    return coalesce((select s.max_messages from nudged.setting s), 2000);
end
$$;

-- Refuses a message that could never be sent. The error names the argument and the remedy, and never holds the text.
create function nudged.check_message(
    caller text, recipient uuid, title text, body text, data jsonb, urgent boolean, category text, thread_id text, collapse_key text, expires_at timestamptz,
    dedupe_key text
) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    bytes integer;
    fault text;
    remedy text;
    long record;
begin
    if recipient is null then
        fault := 'user_id is null';
        remedy := 'Name the user whom the message is for.';
    -- Sizes first: nothing below is expanded without a bound.
    elsif octet_length(title) > 65536 or octet_length(body) > 65536 or pg_column_size(data) > 65536 then
        fault := 'the payload has more than 65536 bytes';
        remedy := 'Apple accepts 4096 bytes for the whole payload. Shorten body or data.';
    elsif nudged.is_blank(title) and nudged.is_blank(body) then
        fault := 'title and body are both empty';
        remedy := 'Phones do not show a push without text. Give a title or a body.';
    elsif data is not null and jsonb_typeof(data) <> 'object' then
        fault := format('data is of type %s', jsonb_typeof(data));
        remedy := 'Give a JSON object. Its members are put beside "aps" in the payload.';
    elsif pg_column_size(data || '{}') > 65536 then
        fault := 'the payload has more than 65536 bytes';
        remedy := 'Apple accepts 4096 bytes for the whole payload. Shorten body or data.';
    elsif jsonb_path_exists(data, '$.**{61}') then
        fault := 'data is nested more than 60 levels deep';
        remedy := 'Phones read 64 levels, the payload''s own included: put deep values into a text.';
    elsif data is not null and nudged.has_long_number(data) then
        fault := 'data holds a number of more than 100 digits';
        remedy := 'Phones read numbers of 64 bits: put a longer one into a text.';
    elsif data ?| array['aps', 'action'] then
        fault := 'data holds "aps" or "action"';
        remedy := 'The payload sets these itself: give those members other names.';
    elsif data ? 'conversation_id' and (
        jsonb_typeof(data -> 'conversation_id') <> 'string'
        or data ->> 'conversation_id' !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
    ) then
        fault := 'data.conversation_id is no UUID';
        remedy := 'Give the conversation''s UUID as text, or leave it out: a tap then begins a new conversation.';
    elsif data ? 'domain' and jsonb_typeof(data -> 'domain') <> 'string' then
        fault := 'data.domain is no text';
        remedy := 'Give the domain''s name as text, or leave it out.';
    elsif expires_at <= now() then
        fault := 'expires_at is in the past';
        remedy := 'Give a time in the future, or null for a message that does not expire.';
    elsif expires_at > '9999-12-31' and expires_at <> 'infinity' then
        fault := 'expires_at is after the year 9999';
        remedy := 'Give null for a message that does not expire.';
    end if;
    if fault is null then
        for long in
            select * from (values ('category', category), ('thread_id', thread_id), ('collapse_key', collapse_key), ('dedupe_key', dedupe_key)) as v (name, value)
            where value = '' or octet_length(value) > 255
        loop
            fault := format('%s has %s bytes', long.name, octet_length(long.value));
            remedy := 'It has 1 to 255 bytes, or is null.';
        end loop;
    end if;
    -- nudged uses such keys itself (nudged_api.send_test).
    if fault is null and starts_with(dedupe_key, 'nudged.') then
        fault := 'dedupe_key begins with "nudged."';
        remedy := 'Such keys are nudged''s own: give another beginning.';
    end if;
    if fault is null then
        bytes := nudged.payload_bytes(title, body, data, urgent, category, thread_id);
        if bytes > 4096 then
            fault := format('the payload has %s bytes', bytes);
            remedy := 'Apple accepts 4096 bytes for the whole payload. Shorten body or data.';
        end if;
    end if;
    if fault is not null then
        raise invalid_parameter_value using message = format('%s: %s', caller, fault), hint = remedy;
    end if;
end
$$;

-- Sends a message to a user: at once, or when their quiet hours and limits allow it. Returns its id.
--
-- - urgent: it passes quiet hours, if the user allows that.
-- - expires_at: from then on it is dropped.
-- - collapse_key: of several that wait only the newest is sent. On the phone it replaces the one before.
-- - dedupe_key: a second call with the same key for that user, within 30 days, sends nothing and returns the first id.
-- - data: members beside "aps". conversation_id (a UUID) is the conversation that a tap opens.
create function nudged_api.send(
    user_id uuid, title text, body text, data jsonb default null, urgent boolean default false, category text default null, thread_id text default null,
    collapse_key text default null, expires_at timestamptz default null, dedupe_key text default null
) returns uuid
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    made uuid := gen_random_uuid();
    known uuid;
    most constant integer := nudged.max_messages();
begin
    perform nudged.require_backend('send');
    perform nudged.check_message(
        'nudged_api.send', send.user_id, send.title, send.body, send.data, send.urgent, send.category, send.thread_id, send.collapse_key, send.expires_at,
        send.dedupe_key);
    if send.dedupe_key is not null then
        for attempt in 1..3 loop
            -- Waits for a call with the same key that is not committed yet, as any unique key does.
            insert into nudged.message_key as k (user_id, key, id) values (send.user_id, send.dedupe_key, made)
            on conflict (user_id, key) do nothing;
            exit when found;
            select k.id into known from nudged.message_key k where k.user_id = send.user_id and k.key = send.dedupe_key;
            if known is not null then
                return known;
            end if;
            -- The key was deleted between the two statements (nudged_api.forget, or 30 days old). So it is tried again.
        end loop;
    end if;
    -- Concurrent calls don't see each other's rows, so together they may exceed the limit.
    if (select count(*) from (select 1 from nudged.message m where m.user_id = send.user_id limit most) as waiting) >= most then
        raise exception using errcode = 'ND014', message = format('nudged_api.send: the user has %s messages waiting', most),
            hint = 'Send less to this user, give messages an expires_at or a collapse_key, or raise nudged.setting.max_messages.';
    end if;
    insert into nudged.message (user_id, id, title, body, data, urgent, category, thread_id, collapse_key, expires_at)
    values (
        send.user_id, made, coalesce(send.title, ''), coalesce(send.body, ''), send.data, coalesce(send.urgent, false), send.category, send.thread_id,
        send.collapse_key, nullif(send.expires_at, 'infinity'));
    insert into nudged.touched (user_id, urgent, arrival) values (send.user_id, coalesce(send.urgent, false), true);
    return made;
end
$$;

create type nudged.new_message as (
    user_id uuid, title text, body text, data jsonb, urgent boolean, category text, thread_id text, collapse_key text, expires_at timestamptz,
    dedupe_key text
);

-- Sends many messages at once. messages: an array of objects whose members are the arguments of nudged_api.send
-- (user_id, and title or body at least). All or none: the error names the first refused message by its position, from
-- 0. A value of a wrong type is reported in the same way, since the server's own error would show the value. Returns a
-- row for each message, in their order.
create function nudged_api.send_many(messages jsonb) returns table (user_id uuid, id uuid)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    stranger record;
    asked nudged.new_message[];
begin
    perform nudged.require_backend('send_many');
    if jsonb_typeof(messages) is distinct from 'array' then
        raise invalid_parameter_value using message = 'nudged_api.send_many: messages is no array',
            hint = 'Give a JSON array of objects, as jsonb_agg(jsonb_build_object(''user_id'', …, ''title'', …, ''body'', …)) makes it.';
    end if;
    select m.place - 1 as place, jsonb_typeof(m.message) as type, k.name into stranger
    from jsonb_array_elements(messages) with ordinality as m (message, place)
    left join lateral (
        select name from jsonb_object_keys(case when jsonb_typeof(m.message) = 'object' then m.message else '{}' end) as o (name)
        where name not in ('user_id', 'title', 'body', 'data', 'urgent', 'category', 'thread_id', 'collapse_key', 'expires_at', 'dedupe_key')
        limit 1
    ) k on true
    where jsonb_typeof(m.message) <> 'object' or k.name is not null
    order by m.place
    limit 1;
    if found then
        raise invalid_parameter_value
            using message = format('nudged_api.send_many: message %s %s', stranger.place,
                case when stranger.type <> 'object' then 'is no object'
                    -- An unknown name can be anything, even the message's text. So only a plain name is shown.
                    when stranger.name ~ '^[A-Za-z_][A-Za-z0-9_]{0,39}$' then format('has a member %s', stranger.name)
                    else 'has a member that it does not know' end),
                hint = 'Its members are the arguments of nudged_api.send.';
    end if;
    begin
        select coalesce(array_agg(row(
            m.user_id, m.title, m.body, m.data, coalesce(m.urgent, false), m.category, m.thread_id, m.collapse_key, m.expires_at, m.dedupe_key
        )::nudged.new_message order by e.place), '{}') into asked
        from jsonb_array_elements(messages) with ordinality as e (message, place)
        cross join lateral jsonb_to_record(e.message) as m (
            user_id uuid, title text, body text, data jsonb, urgent boolean, category text, thread_id text, collapse_key text, expires_at timestamptz,
            dedupe_key text
        );
    exception when data_exception then
        perform nudged.refuse_members(messages);
        raise;
    end;
    return query select s.user_id, s.id from nudged.insert_messages('nudged_api.send_many', asked) s;
end
$$;

-- Names the first member of nudged_api.send_many's messages that can't be read as its type.
create function nudged.refuse_members(messages jsonb) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    one record;
begin
    for one in
        select e.place - 1 as place, t.name, t.type, t.phrase, e.message ->> t.name as value
        from jsonb_array_elements(messages) with ordinality as e (message, place)
        cross join (values
            ('user_id', 'uuid', 'UUID'), ('urgent', 'boolean', 'boolean'), ('expires_at', 'timestamptz', 'instant')
        ) as t (name, type, phrase)
        order by e.place
    loop
        begin
            execute format('select $1::%s', one.type) using one.value;
        exception when data_exception then
            raise invalid_parameter_value using message = format('nudged_api.send_many: message %s: %s is no %s', one.place, one.name, one.phrase),
                hint = 'user_id is a UUID, urgent true or false, expires_at an instant such as 2026-11-21T18:00:00Z.';
        end;
    end loop;
end
$$;

-- Sends the same message to many users. dedupe_key is for each user.
create function nudged_api.send_many(
    user_ids uuid[], title text, body text, data jsonb default null, urgent boolean default false, category text default null,
    thread_id text default null, collapse_key text default null, expires_at timestamptz default null, dedupe_key text default null
) returns table (user_id uuid, id uuid)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    perform nudged.require_backend('send_many');
    if send_many.user_ids is null then
        raise invalid_parameter_value using message = 'nudged_api.send_many: user_ids is null',
            hint = 'Give an array of the users whom the message is for; an empty one is for nobody.';
    end if;
    -- The text is the same for all, and is checked even for an empty list.
    perform nudged.check_message(
        'nudged_api.send_many', '00000000-0000-0000-0000-000000000000', send_many.title, send_many.body, send_many.data, send_many.urgent, send_many.category,
        send_many.thread_id, send_many.collapse_key, send_many.expires_at, send_many.dedupe_key);
    return query select s.user_id, s.id from nudged.insert_messages('nudged_api.send_many', (
        select coalesce(array_agg(row(
            u.user_id, send_many.title, send_many.body, send_many.data, coalesce(send_many.urgent, false), send_many.category, send_many.thread_id,
            send_many.collapse_key, send_many.expires_at, send_many.dedupe_key
        )::nudged.new_message order by u.place), '{}')
        from unnest(send_many.user_ids) with ordinality as u (user_id, place)
    )) s;
end
$$;

-- Checks and inserts messages, for nudged_api.send_many. If one is refused, none is inserted.
create function nudged.insert_messages(caller text, messages nudged.new_message[]) returns table (user_id uuid, id uuid)
language plpgsql
set search_path = pg_catalog, pg_temp
-- A generic plan would expect few messages, and compare each one with each other.
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
    ids uuid[] := (select coalesce(array_agg(gen_random_uuid()), '{}') from unnest(messages));
    keys bigint := (select count(distinct (m.user_id, m.dedupe_key)) from unnest(messages) as m where m.dedupe_key is not null);
    written bigint;
    most constant integer := nudged.max_messages();
begin
    perform nudged.check_message(
        format('%s: message %s', caller, m.place - 1), m.user_id, m.title, m.body, m.data, m.urgent, m.category, m.thread_id, m.collapse_key, m.expires_at,
        m.dedupe_key)
    from unnest(messages) with ordinality as m (
        user_id, title, body, data, urgent, category, thread_id, collapse_key, expires_at, dedupe_key, place
    );
    for attempt in 1..3 loop
        exit when keys = 0;
        -- In the order of user_id, so that two callers can't deadlock. Of several messages with one key in this call,
        -- the first counts.
        insert into nudged.message_key (user_id, key, id)
        select m.user_id, m.dedupe_key, m.id
        from unnest(messages, ids) with ordinality as m (
            user_id, title, body, data, urgent, category, thread_id, collapse_key, expires_at, dedupe_key, id, place
        )
        where m.dedupe_key is not null
        order by m.user_id, m.dedupe_key, m.place
        on conflict do nothing;
        get diagnostics written = row_count;
        exit when written = keys;
        -- A key that was there may be deleted by now (as in nudged_api.send). Then it must be written.
        select count(*) into written from nudged.message_key k
        where (k.user_id, k.key) in (select m.user_id, m.dedupe_key from unnest(messages) as m);
        exit when written = keys;
    end loop;
    -- A statement of its own: its snapshot has the keys that other calls wrote meanwhile.
    return query
    with wanted as materialized (
        select m.*
        from unnest(messages, ids) with ordinality as m (
            user_id, title, body, data, urgent, category, thread_id, collapse_key, expires_at, dedupe_key, id, place
        )
    ),
    -- Read alone: on several machines an outer join would fetch the whole table.
    keys as materialized (
        select k.user_id, k.key, k.id from nudged.message_key k
        where (k.user_id, k.key) in (select w.user_id, w.dedupe_key from wanted w)
    ),
    -- Bounded by the limit itself: no user has many more rows.
    waiting as materialized (
        select m.user_id, count(*) as messages from nudged.message m
        where m.user_id = any (array(select distinct w.user_id from wanted w))
        group by m.user_id
    ),
    asked as materialized (
        select w.*, coalesce(k.id, w.id) as known
        from wanted w
        left join keys k on k.user_id = w.user_id and k.key = w.dedupe_key
    ),
    -- The new messages. A user with too many waiting messages must not be able to stop a message to everybody. Theirs
    -- are dropped, like a message to a user without a device.
    fresh as materialized (
        select a.*, coalesce(t.messages, 0) + row_number() over (partition by a.user_id order by a.place) > most as is_dropped
        from asked a
        left join waiting t on t.user_id = a.user_id
        where a.known = a.id
    ),
    inserted as (
        insert into nudged.message (user_id, id, title, body, data, urgent, category, thread_id, collapse_key, expires_at)
        select
            f.user_id, f.id, coalesce(f.title, ''), coalesce(f.body, ''), f.data, f.urgent, f.category, f.thread_id, f.collapse_key,
            nullif(f.expires_at, 'infinity')
        from fresh f
        where not f.is_dropped
    ),
    dropped as (
        insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
        select f.user_id, 'message', f.id::text, '', 'dropped', 'too_many_waiting', clock_timestamp(), '00000000-0000-0000-0000-000000000000'
        from fresh f
        where f.is_dropped
    ),
    woken as (
        insert into nudged.touched (user_id, urgent, arrival)
        select f.user_id, bool_or(f.urgent), true from fresh f where not f.is_dropped group by f.user_id
    )
    select a.user_id, a.known from asked a order by a.place;
end
$$;

-- Cancels a message. Returns true exactly if this call was committed before the intent of its push. Returns false if a
-- phone may have it already: its outcome is unknown, or another device has got it. Then it is not tried again.
--
-- It does not wait for the daemon: a row that the daemon has locked is being sent.
create function nudged_api.cancel(id uuid) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    recipient uuid;
    tried boolean;
begin
    perform nudged.require_backend('cancel');
    if cancel.id is null then
        raise invalid_parameter_value using message = 'nudged_api.cancel: id is null', hint = 'Give the id that nudged_api.send returned.';
    end if;
    -- A statement after the row lock must see whether an intent came first. So it needs a snapshot of its own.
    if current_setting('transaction_isolation') <> 'read committed' then
        raise feature_not_supported using message = 'nudged_api.cancel: the transaction''s isolation level is not READ COMMITTED',
            hint = 'Call it in a transaction of its own: an older snapshot can''t show whether the message is already being sent.';
    end if;
    begin
        select m.user_id into recipient from nudged.message m where m.id = cancel.id;
        -- With the user's id, since Citus locks rows on one machine only.
        perform 1 from nudged.message m where m.user_id = recipient and m.id = cancel.id for update skip locked;
        if not found then
            return false;
        end if;
        -- Leaving the block releases the row lock, so that the outcome doesn't wait for the caller's commit.
        if exists (select 1 from nudged.intent i
            where recipient = any (i.user_ids) and recipient <> all (i.settled) and cancel.id::text = any (i.keys)) then
            raise sqlstate 'ND001';
        end if;
    exception when sqlstate 'ND001' then
        return false;
    end;
    select exists (
        select 1
        from nudged.person p
        cross join lateral jsonb_array_elements(case jsonb_typeof(p.retry) when 'array' then p.retry else '[]' end) as r (retry)
        where p.user_id = recipient and (r.retry ->> 'key' = cancel.id::text or r.retry -> 'members' ? cancel.id::text) and r.retry ? 'counted_at'
    ) into tried;
    delete from nudged.message m where m.user_id = recipient and m.id = cancel.id;
    insert into nudged.touched (user_id) values (recipient);
    insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
    values (recipient, 'message', cancel.id::text, '', 'dropped', 'cancelled', clock_timestamp(), '00000000-0000-0000-0000-000000000000');
    return not tried;
end
$$;

-- Cancels waiting messages by what they have in common: a campaign that was a mistake. Arguments that are null match
-- all messages; one must be given. It cancels at most 10,000 per call, in the order of user_id; `more`: call it again.
-- `too_late` counts those that are being sent, or that a phone may have already. The latter are not tried again.
--
-- As nudged_api.cancel: a row that the daemon has locked is being sent, and it is skipped. Rows are locked one by one,
-- since Citus locks rows of one user at a time.
create function nudged_api.cancel_messages(
    title text default null, category text default null, sent_after timestamptz default null, sent_before timestamptz default null,
    out cancelled bigint, out too_late bigint, out more boolean
)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    most constant integer := 10000;
    open text[];
    whose uuid[] := '{}';
    which uuid[] := '{}';
    ready integer := 0;
    tried bigint;
    one record;
begin
    perform nudged.require_backend('cancel_messages');
    if num_nonnulls(cancel_messages.title, cancel_messages.category, sent_after, sent_before) = 0 then
        raise invalid_parameter_value using message = 'nudged_api.cancel_messages: no argument is given',
            hint = 'Give the title, the category or the time of the messages.';
    elsif current_setting('transaction_isolation') <> 'read committed' then
        raise feature_not_supported using message = 'nudged_api.cancel_messages: the transaction''s isolation level is not READ COMMITTED',
            hint = 'Call it in a transaction of its own: an older snapshot can''t show whether a message is already being sent.';
    end if;
    too_late := 0;
    more := false;
    -- Those are left alone, so that their outcomes don't wait for the caller's commit.
    open := array(
        select k.key from nudged.intent i cross join lateral unnest(i.user_ids, i.keys) as k (user_id, key)
        where k.user_id <> all (i.settled) and k.key is not null
    );
    for one in
        select m.user_id, m.id, m.id::text = any (open) as is_open from nudged.message m
        where (cancel_messages.title is null or m.title = cancel_messages.title)
          and (cancel_messages.category is null or m.category = cancel_messages.category)
          and (sent_after is null or m.created_at >= sent_after) and (sent_before is null or m.created_at < sent_before)
        order by m.user_id, m.id
    loop
        if ready = most then
            more := true;
            exit;
        end if;
        if not one.is_open then
            perform 1 from nudged.message m where m.user_id = one.user_id and m.id = one.id for update skip locked;
            if found then
                ready := ready + 1;
                whose[ready] := one.user_id;
                which[ready] := one.id;
                continue;
            end if;
        end if;
        too_late := too_late + 1;
    end loop;
    -- A statement of its own, after the locks: it sees whether an intent came first.
    select array_agg(w.user_id), array_agg(w.id) into whose, which
    from unnest(whose, which) as w (user_id, id)
    where w.id::text not in (
        select k.key from nudged.intent i cross join lateral unnest(i.user_ids, i.keys) as k (user_id, key)
        where k.user_id <> all (i.settled) and k.key is not null
    );
    too_late := too_late + ready - coalesce(cardinality(which), 0);
    select count(distinct w.id) into tried
    from unnest(whose, which) as w (user_id, id)
    join nudged.person p on p.user_id = w.user_id and p.retry is not null
    cross join lateral jsonb_array_elements(case jsonb_typeof(p.retry) when 'array' then p.retry else '[]' end) as r (retry)
    where (r.retry ->> 'key' = w.id::text or r.retry -> 'members' ? w.id::text) and r.retry ? 'counted_at';
    with gone as (
        delete from nudged.message m using unnest(whose, which) as w (user_id, id) where m.user_id = w.user_id and m.id = w.id
        returning m.user_id, m.id
    ),
    touched as (
        insert into nudged.touched (user_id) select distinct user_id from gone
    )
    insert into nudged.delivery (user_id, kind, key, device_hash, outcome, reason, attempted_at, sweep_id)
    select user_id, 'message', id::text, '', 'dropped', 'cancelled', clock_timestamp(), '00000000-0000-0000-0000-000000000000' from gone;
    cancelled := coalesce(cardinality(which), 0) - tried;
    too_late := too_late + tried;
end
$$;

-- Deletes dedupe keys older than 30 days, some thousands per call. Returns how many were deleted; the daemon calls
-- again while there are any.
create function nudged.prune_message_keys() returns bigint
language sql security definer
set search_path = pg_catalog, pg_temp
as $$
    with gone as (
        delete from nudged.message_key k
        where (k.user_id, k.key) in (
            select o.user_id, o.key from nudged.message_key o where o.at < now() - interval '30 days' order by o.at limit 5000
        )
        returning 1
    )
    select count(*) from gone
$$;

revoke all on function nudged.payload_bytes(text, text, jsonb, boolean, text, text) from public;
revoke all on function nudged.is_blank(text) from public;
revoke all on function nudged.check_message(text, uuid, text, text, jsonb, boolean, text, text, text, timestamptz, text) from public;
revoke all on function nudged_api.send(uuid, text, text, jsonb, boolean, text, text, text, timestamptz, text) from public;
revoke all on function nudged_api.send_many(jsonb) from public;
revoke all on function nudged_api.send_many(uuid[], text, text, jsonb, boolean, text, text, text, timestamptz, text) from public;
revoke all on function nudged.refuse_members(jsonb) from public;
revoke all on function nudged.insert_messages(text, nudged.new_message[]) from public;
revoke all on function nudged_api.cancel(uuid) from public;
revoke all on function nudged_api.cancel_messages(text, text, timestamptz, timestamptz) from public;
revoke all on function nudged.prune_message_keys() from public;
revoke all on function nudged.max_messages() from public;

select nudged.distribute();

-- What people see in psql (\d+, \df+) and in Supabase's editor.
comment on table nudged.message is 'Messages that wait to be sent. The app inserts rows with nudged_api.send, and the daemon deletes them when they end. nudged.delivery keeps their outcome, without the text.';
comment on column nudged.message.user_id is 'The user who is to get it.';
comment on column nudged.message.id is 'The message''s id, as nudged_api.send returned it.';
comment on column nudged.message.created_at is 'When nudged_api.send was called.';
comment on column nudged.message.title is 'The title.';
comment on column nudged.message.body is 'The text.';
comment on column nudged.message.data is 'Members of the payload beside "aps": a JSON object, or null.';
comment on column nudged.message.urgent is 'Whether it passes quiet hours, if the user allows that.';
comment on column nudged.message.category is 'Apple''s notification category: which actions the phone offers.';
comment on column nudged.message.thread_id is 'Apple''s thread id: what the phone groups.';
comment on column nudged.message.collapse_key is 'Of several waiting messages with one key only the newest is sent.';
comment on column nudged.message.expires_at is 'From then on it is dropped. Null: never.';
comment on table nudged.message_key is 'The id that each dedupe_key got, for 30 days. nudged_api.send writes it; the daemon deletes old rows.';
comment on column nudged.message_key.user_id is 'The user who was sent the message.';
comment on column nudged.message_key.key is 'The dedupe_key.';
comment on column nudged.message_key.id is 'The id of the message that was sent with it.';
comment on column nudged.message_key.at is 'When the key was used.';
comment on type nudged.new_message is 'The arguments of one message, for nudged_api.send_many.';
comment on function nudged.payload_bytes is 'The length of a push''s payload in bytes.';
comment on function nudged.is_blank is 'Whether a phone would show nothing of a text.';
comment on function nudged.max_messages is 'How many messages may wait for one user.';
comment on function nudged.check_message is 'Fails if a message could never be sent. nudged_api.send and nudged_api.send_many call it.';
comment on function nudged_api.send is 'Sends a message to a user: at once, or when their quiet hours and limits allow it. Returns its id.';
comment on function nudged_api.send_many(jsonb) is 'Sends many messages: a JSON array of objects with the arguments of nudged_api.send. All or none. Returns a row for each, in their order.';
comment on function nudged_api.send_many(uuid[],text,text,jsonb,boolean,text,text,text,timestamptz,text) is 'Sends one message to many users. All or none. Returns a row for each, in their order.';
comment on function nudged.refuse_members is 'Names the first member of nudged_api.send_many''s messages that can''t be read as its type.';
comment on function nudged.insert_messages is 'Checks and inserts messages. For nudged_api.send_many.';
comment on function nudged_api.cancel_messages is 'Cancels waiting messages by title, category or time: a campaign that was a mistake. At most 10,000 per call; more: call it again. too_late counts those that were on their way.';
comment on function nudged_api.cancel is 'Cancels a message. Returns true if it was in time: then nothing of it is sent.';
comment on function nudged.prune_message_keys is 'Deletes dedupe keys older than 30 days, some thousands per call. The daemon calls it.';
