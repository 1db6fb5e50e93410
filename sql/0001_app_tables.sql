-- What nudged reads of the app: two tables, two views over them, and the functions that read their values.
--
-- A table is created only where there is none, and a column is added only where it is missing. A table that is found is not changed in any other
-- way: it gets no constraint, no index and no row-level security.

-- Which of the app's tables nudged has created. Only they get rights and policies for signed-in users (0006_roles.sql).
create table nudged.own_table (
    name text primary key
);
alter table nudged.own_table enable row level security;

do $$
declare
    wanted record;
begin
    if to_regclass('public.context_profiles') is null then
        create table public.context_profiles (
            user_id uuid primary key,
            -- Of a new value this is its size before compression.
            notification_preferences jsonb constraint notification_preferences_size check (pg_column_size(notification_preferences) <= 262144),
            first_session_complete boolean not null default false,
            timezone text constraint timezone_length check (octet_length(timezone) <= 255),
            nudge_context jsonb constraint nudge_context_size check (pg_column_size(nudge_context) <= 32768)
        );
        alter table public.context_profiles enable row level security;
        comment on table public.context_profiles is 'One row per user: what nudged needs to know to send them check-ins, messages and reminders.';
        comment on column public.context_profiles.user_id is 'The user''s id.';
        insert into nudged.own_table (name) values ('context_profiles');
    end if;

    if to_regclass('public.push_tokens') is null then
        create table public.push_tokens (
            id uuid not null default gen_random_uuid(),
            user_id uuid not null,
            device_token text not null constraint device_token_length check (octet_length(device_token) <= 512),
            platform text not null default 'ios' constraint platform_length check (octet_length(platform) <= 32),
            created_at timestamptz not null default now(),
            updated_at timestamptz not null default now(),
            environment text constraint environment_length check (octet_length(environment) <= 32),
            topic text constraint topic_length check (octet_length(topic) <= 255),
            primary key (user_id, id),
            unique (user_id, device_token)
        );
        -- nudged.register_device finds the former user of a token by it.
        create index push_tokens_device_token on public.push_tokens (device_token);
        alter table public.push_tokens enable row level security;
        comment on table public.push_tokens is 'One row per device of a user. The app registers a device at each start (nudged.register_device).';
        comment on column public.push_tokens.id is 'Names the row.';
        comment on column public.push_tokens.user_id is 'The user who is signed in on the device.';
        insert into nudged.own_table (name) values ('push_tokens');
    end if;

    -- The catalog is asked first: ADD COLUMN IF NOT EXISTS would lock the app's table even where there is nothing to add.
    for wanted in
        select v.*, exists (
            select from pg_attribute a
            where a.attrelid = format('public.%I', v.relation)::regclass and a.attname = v.attribute and not a.attisdropped
        ) as is_there
        from (values
            ('context_profiles', 'notification_preferences', 'jsonb',
                'What the user wants: a JSON object with the keys of docs/POLICY.md. Null: the user chose nothing, and gets no check-ins.'),
            ('context_profiles', 'first_session_complete', 'boolean not null default false',
                'Whether the user has finished a first session. Check-ins begin after it.'),
            ('context_profiles', 'timezone', 'text',
                'The user''s time zone, such as Europe/Berlin. It is used where the preferences name none.'),
            ('context_profiles', 'nudge_context', null,
                'Fills the placeholders of nudged.template: a JSON object with first_name, topic and so on. '
                'conversation_id, domain and locale have a meaning of their own (docs/SQL.md).'),
            ('push_tokens', 'device_token', null, 'The device token from Apple, in hexadecimal digits.'),
            ('push_tokens', 'platform', 'text not null default ''ios''',
                'ios, ipados, macos, watchos, tvos or visionos. nudged sends to no other platform.'),
            ('push_tokens', 'created_at', 'timestamptz', 'When the app first presented the token.'),
            ('push_tokens', 'updated_at', 'timestamptz',
                'When the app last presented the token. nudged deletes a token only if Apple refuses it after this time.'),
            ('push_tokens', 'environment', 'text',
                'The APNs environment of the token: sandbox or production. Null: the one in the daemon''s configuration.'),
            ('push_tokens', 'topic', 'text',
                'The APNs topic (bundle id) of the token. Null: the one in the daemon''s configuration.')
        ) as v (relation, attribute, type, words)
    loop
        if not wanted.is_there and wanted.type is not null then
            execute format('alter table public.%I add column %I %s', wanted.relation, wanted.attribute, wanted.type);
        end if;
        -- A column that the app made keeps the comment that it has.
        if not wanted.is_there and wanted.type is not null or exists (select from nudged.own_table where name = wanted.relation) then
            execute format('comment on column public.%I.%I is %L', wanted.relation, wanted.attribute, wanted.words);
        end if;
    end loop;
end
$$;

-- What nudged reads of a user's JSON. A value of a few bytes can be huge as text: the number 1e131071 has 131,072 digits. So no value of the app is
-- cast to text before its size and its numbers were looked at, and these functions never fail.

-- The preferences as text, of at most 65,536 characters. A value that is too long, or that holds an absurd number, becomes one that the policy calls
-- malformed.
create function nudged.preferences_text(preferences jsonb) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return nudged.bounded_json(preferences, 65536);
end
$$;

create function nudged.preferences_text(preferences json) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if pg_column_size(preferences) > 65536 then
        return '"longer than 65,536 characters"';
    end if;
    return case when length(preferences::text) <= 65536 then preferences::text else '"longer than 65,536 characters"' end;
end
$$;

create function nudged.preferences_text(preferences text) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return case when octet_length(preferences) > 262144 or length(preferences) > 65536 then '"longer than 65,536 characters"' else preferences end;
end
$$;

create function nudged.bounded_json(value jsonb, most integer) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
    whole jsonb;
    written text;
begin
    if pg_column_size(value) > 262144 then
        return '"too long"';
    end if;
    whole := value || '{}';
    if pg_column_size(whole) > 262144 then
        return '"too long"';
    end if;
    if exists (
        select from jsonb_path_query(whole, '$.** ? (@.type() == "number")') as n
        where abs(n::numeric) >= 1e100 or scale(n::numeric) > 100
    ) then
        return '"holds a number of more than 100 digits"';
    end if;
    written := value::text;
    return case when length(written) <= most then written else '"too long"' end;
end
$$;

-- The context as text, of at most 8,192 characters; null: there is nothing in it that a template could use.
create function nudged.context_text(context jsonb) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return nudged.bounded_json(context, 8192);
end
$$;

create function nudged.context_text(context json) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    if pg_column_size(context) > 65536 then
        return null;
    end if;
    return case when length(context::text) <= 8192 then context::text end;
end
$$;

create function nudged.context_text(context text) returns text
language plpgsql stable parallel safe
set search_path = pg_catalog, pg_temp
as $$
begin
    return case when octet_length(context) <= 32768 and length(context) <= 8192 then context end;
end
$$;

-- The views. An operator whose schema differs redefines these two and nudged.forget_device, and nothing else.
do $$
begin
    -- A table that was found may have no column for the context.
    execute format(
        'create view nudged.recipient as
        select
            user_id,
            notification_preferences as preferences,
            timezone,
            -- Unknown counts as not yet.
            coalesce(first_session_complete, false) as first_session_complete,
            %s as context
        from public.context_profiles
        where user_id is not null',
        case when exists (
            select from pg_attribute where attrelid = 'public.context_profiles'::regclass and attname = 'nudge_context' and not attisdropped
        ) then 'nudge_context' else 'null::jsonb' end);
end
$$;

create view nudged.device as
select
    user_id,
    device_token as token,
    greatest(created_at, updated_at) as registered_at,
    environment,
    topic
from public.push_tokens
-- The stored size is asked first: no long value is expanded to be compared.
where case when pg_column_size(platform) <= 64
    then lower(platform::text) in ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'apple', 'apns') else false end;

-- Deletes a token after a 410, if the device has not registered since `unregistered_at`. Nothing else in nudged deletes tokens of a table that was found.
--
-- A row that the app holds is skipped: it is being registered again, or Apple will answer 410 again. So nobody waits.
-- A registration that is stored without a zone (`timestamp`) may be the server's local time or UTC. The later one counts, so that no
-- token that registered again is deleted.
create function nudged.forget_device(
    recipient uuid, device text, apns_environment text, apns_topic text, unregistered_at timestamptz
) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    -- Both conditions name the user, so that Citus can ask one machine. Arguments are named by the function: the app's table may have a column `device`.
    delete from public.push_tokens
    where user_id = forget_device.recipient and ctid = any (array(
        select t.ctid from public.push_tokens t
        where t.user_id = forget_device.recipient
          and t.device_token::text = forget_device.device
          and coalesce(nullif(t.environment::text, ''), forget_device.apns_environment) = forget_device.apns_environment
          and coalesce(nullif(t.topic::text, ''), forget_device.apns_topic) = forget_device.apns_topic
          and coalesce(
              case when pg_typeof(greatest(t.created_at, t.updated_at)) = 'timestamp'::regtype
              then greatest(
                  greatest(t.created_at, t.updated_at)::timestamptz, greatest(t.created_at, t.updated_at)::timestamp at time zone 'UTC')
              else greatest(t.created_at, t.updated_at)::timestamptz end,
              '-infinity') < forget_device.unregistered_at
        for update skip locked
    ));
    return found;
end
$$;
revoke all on function nudged.forget_device(uuid, text, text, text, timestamptz) from public;

comment on schema nudged is 'nudged sends push notifications for this database''s app. docs/SQL.md describes its calls and views.';
comment on table nudged.own_table is 'The tables of schema public that nudged has created. A table that is not named here belongs to the app.';
comment on column nudged.own_table.name is 'The table''s name in schema public.';
comment on view nudged.recipient is 'One row per user who could be sent something. Redefine it with "create or replace view" to read other tables.';
comment on column nudged.recipient.user_id is 'The user''s id.';
comment on column nudged.recipient.preferences is 'What the user wants: a JSON object with the keys of docs/POLICY.md, or null.';
comment on column nudged.recipient.timezone is 'The user''s time zone, such as Europe/Berlin. It is used where the preferences name none.';
comment on column nudged.recipient.first_session_complete is 'Whether the user has finished a first session.';
comment on column nudged.recipient.context is 'What fills the placeholders of nudged.template: a JSON object, or null.';
comment on view nudged.device is 'One row per device that nudged can send to. Redefine it with "create or replace view" to read other tables.';
comment on column nudged.device.user_id is 'The user who is signed in on the device.';
comment on column nudged.device.token is 'The device token, in hexadecimal digits.';
comment on column nudged.device.registered_at is 'When the app last presented the token.';
comment on column nudged.device.environment is 'sandbox or production. Null: the one in the daemon''s configuration.';
comment on column nudged.device.topic is 'The APNs topic (bundle id). Null: the one in the daemon''s configuration.';
comment on function nudged.forget_device is 'Deletes a token that Apple has answered with 410, unless the device has registered since. The daemon calls it.';
