-- What nudged reads of the app: two tables, two views over them, and the functions that read their values.
-- A table or a column is created only if it is missing. Nothing else of an existing table is changed here: it gets no
-- constraint, no index and no row-level security. If the app has made the view nudged.recipient or nudged.device
-- before, its users or devices are in other tables: then no table is made or changed for them.

-- What an app may call. Nothing else is in these schemas, and the app has no right in schema nudged.
create schema nudged_api;
create schema nudged_me;

-- What a call that changes something answers, in both schemas.
create type nudged.result as (id uuid, done bigint, too_late bigint, warnings text[]);

create function nudged.result_of(id uuid default null, done bigint default 1, too_late bigint default 0, warnings text[] default '{}') returns nudged.result
language sql immutable parallel safe return row(id, done, too_late, warnings)::nudged.result;

-- Comments on a table or view, and on its columns: names and comments in turn.
create function nudged.describe(relation regclass, what text, variadic phrases text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    execute format('comment on %s %s is %L', case (select c.relkind from pg_class c where c.oid = relation) when 'v' then 'view' else 'table' end, relation, what);
    for place in 1..cardinality(phrases) by 2 loop
        execute format('comment on column %s.%I is %L', relation, phrases[place], phrases[place + 1]);
    end loop;
end $$;

-- Refuses a call for backends if the role that the session acts as got the right by mistake, for example by `grant all
-- on all routines in schema nudged_api to anon`. A session whose role has no right to the call passes: a SECURITY DEFINER
-- function of the app makes it, with the right of its owner. Names are compared as text, so none is quoted.
create function nudged.require_backend(call text) returns void
language plpgsql stable set search_path = pg_catalog, pg_temp set quote_all_identifiers = off as $$
declare caller constant name := coalesce(nullif(current_setting('role'), 'none'), session_user);
begin
    -- Most callers are. The rest of the question takes ten times as long.
    if pg_has_role(caller, to_regrole('nudged_app'), 'usage') then return; end if;
    if exists (
        select from pg_proc p where p.pronamespace = 'nudged_api'::regnamespace
          -- As a name, so that it is found by its index.
          and p.proname = split_part(require_backend.call, '.', 2)::name
          -- Somebody else's function of this name says nothing about the call.
          and pg_get_userbyid(p.proowner) = current_user
          and has_function_privilege(caller, p.oid, 'execute') and not pg_has_role(caller, p.proowner, 'usage')
          and not exists (
              select from nudged.role_right r join pg_roles o on o.rolname = r.role
              where r.object = format('nudged_api.%I(%s)', p.proname, replace(oidvectortypes(p.proargtypes), ', ', ','))
                and pg_has_role(caller, o.oid, 'usage')
          )
    ) then
        raise insufficient_privilege using message = format('%s: %s is no backend, but was granted this call', require_backend.call, caller),
            hint = 'As the owner of schema nudged: select nudged.grant_roles(). If it is a backend: grant nudged_app to its role.';
    end if;
end $$;

-- The app's tables that nudged created. Only they get rights and policies for signed-in users (0006_roles.sql). A table
-- says so in its comment too, because it stays when schema nudged is dropped.
create table nudged.own_table (name text primary key);

do $$ begin
    if to_regclass('nudged.recipient') is null and to_regclass('public.context_profiles') is null then
        create table public.context_profiles (user_id uuid primary key);
        comment on table public.context_profiles is 'One row per user: what nudged needs to know to send them check-ins, messages and reminders. The app writes it. nudged created it.';
        comment on column public.context_profiles.user_id is 'The user''s id.';
    end if;
    if to_regclass('nudged.device') is null and to_regclass('public.push_tokens') is null then
        create table public.push_tokens (
            id uuid not null default gen_random_uuid(), user_id uuid not null,
            device_token text not null constraint device_token_length check (octet_length(device_token) <= 512),
            primary key (user_id, id),
            unique (user_id, device_token)
        );
        -- nudged_me.register_device finds a token's former user by it.
        create index push_tokens_device_token on public.push_tokens (device_token);
        comment on table public.push_tokens is 'One row per device of a user. The app registers a device at each start (nudged_me.register_device). nudged created it.';
        comment on column public.push_tokens.id is 'Identifies the row.';
        comment on column public.push_tokens.user_id is 'The user who is signed in on the device.';
    end if;
    insert into nudged.own_table (name)
    select v.name from (values ('context_profiles', 'nudged.recipient'), ('push_tokens', 'nudged.device')) as v (name, view)
    where to_regclass(v.view) is null and obj_description(to_regclass('public.' || v.name), 'pg_class') like '%nudged created it.';
end $$;

-- Adds the columns that a table lacks: with bounds if nudged has created it. A column of the app keeps its comment.
create function nudged.add_columns(relation text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    is_own constant boolean := exists (select from nudged.own_table o where o.name = add_columns.relation);
    wanted record;
begin
    -- The catalog is read first: ADD COLUMN IF NOT EXISTS would lock the app's table even if there is nothing to add.
    for wanted in
        select v.*, exists (
            select from pg_attribute a
            where a.attrelid = to_regclass(format('public.%I', v.relation)) and a.attname = v.attribute and not a.attisdropped
        ) as is_there
        from (values
            -- Of a new value this is the size before compression.
            ('context_profiles', 'notification_preferences', 'jsonb',
                'constraint notification_preferences_size check (pg_column_size(notification_preferences) <= 262144)',
                'What the user wants: a JSON object with the keys of docs/POLICY.md. Null: the user chose nothing, and gets no check-ins.'),
            ('context_profiles', 'first_session_complete', 'boolean not null default true', '',
                'False: no check-ins yet, such as before the user has finished a first session.'),
            ('context_profiles', 'timezone', 'text', 'constraint timezone_length check (octet_length(timezone) <= 255)',
                'The user''s time zone, such as Europe/Berlin. It is used where the preferences name none.'),
            -- No type: an existing table may do without it.
            ('context_profiles', 'nudge_context', null, 'jsonb constraint nudge_context_size check (pg_column_size(nudge_context) <= 32768)',
                'Fills the placeholders of nudged.template: a JSON object with first_name, topic and so on. '
                'conversation_id, domain and locale have a meaning of their own (docs/TABLES.md).'),
            ('push_tokens', 'device_token', null, null, 'The device token from Apple, in hexadecimal digits.'),
            ('push_tokens', 'platform', 'text not null default ''ios''', 'constraint platform_length check (octet_length(platform) <= 32)',
                'ios, ipados, macos, watchos, tvos or visionos. nudged sends to no other platform.'),
            ('push_tokens', 'created_at', 'timestamptz', 'not null default now()', 'When the app first presented the token.'),
            ('push_tokens', 'updated_at', 'timestamptz', 'not null default now()',
                'When the app last presented the token. nudged deletes a token only if Apple refuses it after this time.'),
            ('push_tokens', 'environment', 'text', 'constraint environment_length check (octet_length(environment) <= 32)',
                'The APNs environment of the token: sandbox or production. Null: unknown, so nudged tries both.'),
            ('push_tokens', 'topic', 'text', 'constraint topic_length check (octet_length(topic) <= 255)',
                'The APNs topic (bundle id) of the token. Null: the one in the daemon''s configuration.')
        ) as v (relation, attribute, type, bound, phrase) where v.relation = add_columns.relation
    loop
        if not wanted.is_there and (is_own or wanted.type is not null) then
            execute format('alter table public.%I add column %I %s %s', relation, wanted.attribute, wanted.type, case when is_own then wanted.bound end);
        end if;
        if is_own or not wanted.is_there and wanted.type is not null then
            execute format('comment on column public.%I.%I is %L', relation, wanted.attribute, wanted.phrase);
        end if;
    end loop;
end $$;

-- What reads a user's JSON never fails, and its text is bounded. The number 1e131071 of a few bytes has 131,072 digits; a
-- compressed value can be 270 times as long as what is stored. So a value is measured before it is expanded.

-- Whether a number in the value has more than 100 digits. The caller must bound the value's size and depth.
create function nudged.has_long_number(value jsonb) returns boolean language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$ begin
    return exists (select from jsonb_path_query(value, '$.** ? (@.type() == "number")') as n where abs(n::numeric) >= 1e100 or scale(n::numeric) > 100);
end $$;

-- For nudged.preferences_text: values that must be measured first. Returns only the keys of docs/POLICY.md. A key that
-- holds a number of more than 100 digits gets 0.5, which is valid for no key.
create function nudged.measured_preferences(preferences jsonb) returns text language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    known constant text[] := '{check_ins_enabled,frequency,timezone,check_in_time,weekday,quiet_hours_start,quiet_hours_end,quiet_hours_by_day,muted_until,'
        'priority_keywords,allow_urgent,max_per_hour,max_per_day,messages_enabled,reminders_enabled,categories,smart_enabled,max_analyses_per_hour,'
        'fallback_strategy,pause_threshold_seconds,active_conversation_threshold}';
    too_long constant text := '"longer than 65,536 characters"';
    -- Four bytes of the value are at least one character of its text, so a larger one has over 65,536.
    most constant integer := 270000;
    whole jsonb; absurd text[]; is_deep boolean;
begin
    if pg_column_size(preferences) > most then
        return too_long;
    elsif jsonb_typeof(preferences) <> 'object' then
        return case jsonb_typeof(preferences) when 'null' then 'null' when 'boolean' then 'false' when 'number' then '0' when 'string' then '""' else '[]' end;
    end if;
    -- The size above is the stored one. This is the value without compression.
    whole := preferences || '{}';
    if pg_column_size(whole) > most then return too_long; end if;
    select array_agg(m.key) into absurd from jsonb_each(whole) m where nudged.has_long_number(m.value);
    -- The daemon's parser reads no deeper value. A user who turned messages off stays off even if the rest can't be read.
    is_deep := jsonb_path_exists(whole, '$.**{513}');
    if is_deep or not absurd <@ known then
        return case when coalesce(whole -> 'messages_enabled', 'null') not in ('null', 'true') then '{"messages_enabled": false, "allow_urgent": false}'
            when is_deep then '"nested too deep"' else '"holds a number of more than 100 digits"' end;
    end if;
    whole := whole || coalesce((select jsonb_object_agg(k, 0.5) from unnest(absurd) as k), '{}');
    if length(whole::text) > 65536 then return too_long; end if;
    return coalesce((select jsonb_object_agg(m.key, m.value)::text from jsonb_each(whole) m where m.key = any (known)), '{}');
end $$;

-- The preferences as text of at most 65,537 characters. A value that can't be valid becomes a short one that the policy
-- calls malformed. Nearly every value takes the first branch, which is inlined: small, uncompressed, its numbers
-- between 0 and 1,000,000. Such a number can still have 16,383 decimals, so the text is cut. The function is STABLE
-- because an IMMUTABLE function that asks for a size is not inlined.
create function nudged.preferences_text(preferences jsonb) returns text language sql stable parallel safe return case
    when preferences is null then null
    when pg_column_size(preferences) <= 2000 and pg_column_compression(preferences) is null and jsonb_typeof(preferences) = 'object'
        and (preferences @@ '$.** < 0 || $.** > 1000000') is not true
        then preferences::text::varchar(65537)::text
    else nudged.measured_preferences(preferences)
end;

-- For a column of type json, which is text as it was written. Its size without compression is not known. So up to
-- 65,536 stored bytes are expanded, to at most 18 MB.
create function nudged.preferences_text(preferences json) returns text language sql stable parallel safe return case
    when preferences is null then null
    when pg_column_size(preferences) > case when pg_column_compression(preferences) is null then 262144 + 64 else 65536 end
        then '"longer than 65,536 characters"'
    when pg_column_size(preferences) <= 2000 and pg_column_compression(preferences) is null then preferences::text
    else left(preferences::text, 65537)
end;

create function nudged.preferences_text(preferences text) returns text language sql stable parallel safe return case
    when octet_length(preferences) <= 65536 then preferences
    when octet_length(preferences) <= 262144 then left(preferences, 65537)
    when preferences is not null then '"longer than 65,536 characters"'
end;

-- For nudged.context_text: values that must be measured first. Returns what fills placeholders: texts and whole numbers.
create function nudged.measured_context(context jsonb) returns text language plpgsql stable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    most constant integer := 40000;
    whole jsonb; written text;
begin
    if pg_column_size(context) > most or jsonb_typeof(context) <> 'object' then return null; end if;
    whole := context || '{}';
    select jsonb_object_agg(m.key, m.value)::text into written
    from jsonb_each(case when pg_column_size(whole) <= most then whole end) m
    where case jsonb_typeof(m.value) when 'string' then true when 'number' then scale(m.value::numeric) = 0 and abs(m.value::numeric) < 1e19 else false end;
    return case when length(written) <= 8192 then written end;
end $$;

-- The context as text of at most 8,193 characters; with 8,193 it counts as too long. Null: it fills no placeholder.
create function nudged.context_text(context jsonb) returns text language sql stable parallel safe return case
    when context is null then null
    when pg_column_size(context) <= 1200 and pg_column_compression(context) is null and jsonb_typeof(context) = 'object'
        and (context @@ '$.** < 0 || $.** > 1000000') is not true
        then context::text::varchar(8193)::text
    else nudged.measured_context(context)
end;

create function nudged.context_text(context json) returns text language sql stable parallel safe return case
    when pg_column_size(context) > case when pg_column_compression(context) is null then 32768 + 64 else 8192 end then null
    when length(context::text) <= 8192 then context::text
end;

create function nudged.context_text(context text) returns text
language sql stable parallel safe return case when octet_length(context) <= 32768 and length(context) <= 8192 then context end;

-- A value that the daemon writes, as JSON in ASCII. If this database's encoding lacks one of its characters, all beyond
-- ASCII become question marks: the answer of a decision service may hold any, and a record that can't be written would
-- stop the daemon. STRICT: nearly every row has none, and a block that catches errors costs a subtransaction.
create function nudged.readable(escaped text) returns jsonb language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$ begin
    return escaped::jsonb;
exception when untranslatable_character then
    -- chr(92) is a backslash. The daemon writes one that is no escape as u005c.
    return regexp_replace(escaped, repeat(chr(92), 2) || 'u(?!00[0-7])[0-9a-f]{4}', '?', 'g')::jsonb;
end $$;

-- The views. An app whose tables differ makes them before (docs/TABLES.md), or redefines them later.
-- A view is bound to tables and columns, but functions look names up. If a table is replaced by another one of its name
-- (create table x_new (like x); rename both), the view still reads the old one. So nudged notes which names each view
-- reads. If they change without a new definition of the view, another name was given to what it reads.
create table nudged.bound (
    view text primary key,
    -- Another one after each definition of the view.
    version text not null,
    -- A hash of the definition that nudged made. Null: the app made it, and nudged can't make it again.
    definition text,
    names text[] not null
);

-- nudged's views on the app's tables, as they are now and as nudged.bound knows them. The app's own view may read other
-- views of the app: what these read counts as well, and so does a new definition of one. lost: the first name that the
-- view read and that another table or column has now.
create function nudged.app_views() returns table (view text, relation text, oid oid, version text, definition text, names text[], known nudged.bound, lost text)
language plpgsql stable set search_path = pg_catalog, pg_temp set quote_all_identifiers = off as $$ #variable_conflict use_column
begin
    -- In PL/pgSQL the plan is kept: planning takes longer than the query.
    return query select
        w.view, w.relation, v.oid, r.version,
        -- Versions of PostgreSQL differ in what they qualify.
        encode(sha256(convert_to(regexp_replace(pg_get_viewdef(v.oid), '(context_profiles|push_tokens)[.]|[[:space:]]+', '', 'g'), 'UTF8')), 'hex'),
        n.names, b, l.name
    from (values ('recipient', 'context_profiles'), ('device', 'push_tokens'), ('subject_member', null)) as w (view, relation)
    left join pg_class v on v.relname = w.view and v.relnamespace = (select s.oid from pg_namespace s where s.nspname = 'nudged')
    cross join lateral (
        -- The rules of type 1 are views' definitions.
        with recursive reached as (
            select f.oid from pg_rewrite f where f.ev_class = v.oid and f.ev_type = '1'
            union select f.oid from reached l
            join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = l.oid and d.refclassid = 'pg_class'::regclass
            join pg_rewrite f on f.ev_class = d.refobjid and f.ev_type = '1'
        )
        select string_agg(f.xmin::text, ' ' order by f.oid) as version, array_agg(f.oid) as rules from reached join pg_rewrite f using (oid)
    ) r
    cross join lateral (
        select array(
            select distinct format('%I.%I', n.nspname, c.relname) || coalesce('.' || quote_ident(a.attname), '')
            from unnest(r.rules) as rule
            join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = rule and d.refclassid = 'pg_class'::regclass
            join pg_rewrite o on o.oid = rule and o.ev_class <> d.refobjid join pg_class c on c.oid = d.refobjid
            join pg_namespace n on n.oid = c.relnamespace
            left join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid and d.refobjsubid > 0 order by 1
        ) as names
    ) n
    left join nudged.bound b on b.view = w.view
    left join lateral (
        select k.name from unnest(b.names) as k (name)
        where k.name <> all (n.names) and exists (
            select from pg_class c join pg_namespace s on s.oid = c.relnamespace left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
            where k.name in (format('%I.%I', s.nspname, c.relname), format('%I.%I.%I', s.nspname, c.relname, a.attname))
        ) order by 1 limit 1
    ) l on true;
end $$;

-- For the daemon: whether a view reads other tables than it was made for. Notes views that the app has defined again, and
-- names that it has changed where no other table has the former name.
create function nudged.is_misbound() returns boolean language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare is_lost boolean;
begin
    with seen as materialized (select * from nudged.app_views()),
    noted as (
        insert into nudged.bound as b (view, version, definition, names)
        select v.view, v.version, case when v.definition = (v.known).definition then v.definition end, v.names
        from seen v
        where v.version is distinct from (v.known).version and v.version is not null
            or v.names <> (v.known).names and (v.known).definition is null and v.lost is null
        on conflict (view) do update set version = excluded.version, definition = excluded.definition, names = excluded.names
    )
    select coalesce(bool_or(v.version = (v.known).version and v.lost is not null), false) into is_lost from seen v;
    return is_lost;
end $$;

-- Makes the views that nudged has made before, or that nobody has made: where they are missing, or read another table
-- than the one with nudged's name. Returns what it did.
create function nudged.bind_views() returns setof text language plpgsql set search_path = pg_catalog, pg_temp as $$
declare one record; recipe text;
begin
    perform nudged.is_misbound();
    for one in
        select v.view, v.relation, c.relrowsecurity or not exists (select from nudged.own_table o where o.name = v.relation) as is_safe
        from nudged.app_views() v join pg_class c on c.oid = to_regclass('public.' || v.relation)
        where (v.known is null or (v.known).definition is not null) and (v.oid is null or v.lost is not null)
    loop
        if not one.is_safe then execute format('alter table public.%I enable row level security', one.relation); end if;
        perform nudged.add_columns(one.relation);
        -- security_barrier: no function of the caller sees a row that the view leaves out.
        recipe := case one.view when 'recipient' then format(
            'create view nudged.recipient with (security_barrier) as
            select
                user_id, notification_preferences as preferences, timezone,
                coalesce(first_session_complete, false) as first_session_complete, %s as context
            from public.context_profiles where user_id is not null',
            -- An existing table may have no column for the context.
            case when exists (
                select from pg_attribute where attrelid = to_regclass('public.context_profiles') and attname = 'nudge_context' and not attisdropped
            ) then 'nudge_context' else 'null::jsonb' end)
        else
            'create view nudged.device with (security_barrier) as
            select user_id, device_token as token, greatest(created_at, updated_at) as registered_at, environment, topic from public.push_tokens
            -- The stored size is compared first, so that no long value is expanded. The second line decides most rows.
            where case when pg_column_size(platform) > 64 then false
                when platform::text collate "C" = ''ios'' then true
                else lower(btrim(platform::text, '' '' || chr(9) || chr(10) || chr(13)) collate "C")
                    in (''ios'', ''ipados'', ''macos'', ''watchos'', ''tvos'', ''visionos'', ''apple'', ''apns'') end'
        end;
        begin
            execute replace(recipe, 'create view', 'create or replace view');
        exception when invalid_table_definition then
            -- A column has another type now.
            drop view if exists nudged.quarantined;
            execute format('drop view nudged.%I', one.view);
            execute recipe;
        end;
        insert into nudged.bound as b (view, version, definition, names)
        select v.view, v.version, v.definition, v.names from nudged.app_views() v where v.view = one.view
        on conflict (view) do update set version = excluded.version, definition = excluded.definition, names = excluded.names;
        return next format('nudged.%s reads public.%s', one.view, one.relation);
    end loop;
end $$;

select nudged.bind_views();

-- Defines the function that deletes a token after a 410, if the device has not registered since `unregistered_at`. The
-- daemon deletes tokens in no other way.
-- A row that the app has locked is skipped, so nobody waits: the device is registering, or Apple will answer 410 again. A
-- registration without a zone (`timestamp`) may be the server's local time or UTC. The later one counts, so that no
-- token that registered again is deleted. An instant that can't be a registration's (infinity, the year 294276, more
-- than a day ahead) counts as long ago. Arguments are qualified, since the app's table may have a column `device`.
create function nudged.define_forget_device() returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    is_mapped constant boolean := not exists (select from nudged.bound b where b.view = 'device' and b.definition is not null);
    stale constant text := format(
        $where$
            where t.user_id = forget_device.recipient
              and t.%1$s::text = forget_device.device
              and coalesce(nullif(t.environment::text, ''), forget_device.apns_environment) = forget_device.apns_environment
              and coalesce(nullif(t.topic::text, ''), forget_device.apns_topic) = forget_device.apns_topic
              and coalesce(
                  case when %2$s not between '0001-01-01' and greatest(clock_timestamp(), forget_device.unregistered_at) + interval '1 day' then '-infinity'
                  when pg_typeof(%2$s) = 'timestamp'::regtype then greatest(%2$s::timestamptz, %2$s::timestamp at time zone 'UTC')
                  else %2$s::timestamptz end,
                  '-infinity') < forget_device.unregistered_at
            for update skip locked
        $where$,
        case when is_mapped then 'token' else 'device_token' end,
        case when is_mapped then 't.registered_at' else 'greatest(t.created_at, t.updated_at)' end);
begin
    execute format(
        'create function nudged.forget_device(
            recipient uuid, device text, apns_environment text, apns_topic text, unregistered_at timestamptz
        ) returns boolean
        security definer set search_path = pg_catalog, pg_temp set row_security = on language %s',
        case when not is_mapped then format(
            $call$plpgsql as $body$
            #variable_conflict use_column
            begin
                delete from public.push_tokens
                -- Both conditions name the user, so that Citus needs only one machine. A ctid is unique only within one
                -- table: a partition, a child or a foreign table has its own.
                where user_id = forget_device.recipient and (tableoid, ctid) in (select t.tableoid, t.ctid from public.push_tokens t %s);
                return found;
            end
            $body$ $call$, stale)
        -- The app made the view. PostgreSQL can delete through it if it reads one table and neither groups nor joins.
        -- Otherwise the app redefines this function; until then it deletes nothing. BEGIN ATOMIC looks names up here,
        -- not at each call, so nudged_writer, its later owner, need not name anything in schema nudged.
        when pg_relation_is_updatable('nudged.device', true) & 16 = 16 then format(
            $call$sql begin atomic
                with stale as materialized (select t.user_id, t.token, t.environment, t.topic, t.registered_at from nudged.device t %s),
                gone as (
                    delete from nudged.device t using stale s
                    where t.user_id = s.user_id and t.token = s.token
                      and t.environment is not distinct from s.environment and t.topic is not distinct from s.topic
                      -- Another row of the token may be a later registration.
                      and t.registered_at is not distinct from s.registered_at
                    returning t.user_id
                )
                select exists (select from gone);
            end$call$, stale)
        else 'sql return false' end);
end $$;
select nudged.define_forget_device();

-- What a word for an APNs environment means in a table that the app had before. An unknown word stays as it is, and no
-- lane serves it. The daemon reads it in the same way (LaneDirectory.swift).
create function nudged.apns_environment(word text) returns text language sql immutable parallel safe
return case lower(btrim(word, ' ' || chr(9) || chr(10) || chr(13)) collate "C")
    when '' then null when 'development' then 'sandbox' when 'dev' then 'sandbox' when 'prod' then 'production'
    else lower(btrim(word, ' ' || chr(9) || chr(10) || chr(13)) collate "C") end;

-- Writes the environment in which a token works, once Apple has refused it in the other one. Never in the app's table.
do $$ begin
    execute concat(
        'create function nudged.move_device(recipient uuid, device text, apns_environment text, apns_topic text) returns boolean
        security definer set search_path = pg_catalog, pg_temp set row_security = on language ', case
        when not exists (select from nudged.own_table where name = 'push_tokens') then 'sql return false'
        else $call$plpgsql as $body$
            #variable_conflict use_column
            begin
                -- A locked row is skipped: its device is registering. updated_at stays: this is no registration.
                update public.push_tokens set environment = move_device.apns_environment
                where user_id = move_device.recipient and (tableoid, ctid) in (
                    select t.tableoid, t.ctid from public.push_tokens t
                    where t.user_id = move_device.recipient and t.device_token = move_device.device
                      and coalesce(nullif(t.topic, ''), move_device.apns_topic) = move_device.apns_topic
                      and t.environment is distinct from move_device.apns_environment for update skip locked
                );
                return found;
            end
            $body$ $call$ end);
end $$;

-- The platforms of a user's devices that nudged sends nothing to, such as android. Null: none, or the devices are in
-- another table. For `nudged explain`: the daemon's role reads the app's tables through views and calls only.
create function nudged.devices_left_out(recipient uuid) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set row_security = on as $$ begin
    return (
        select string_agg(distinct d.platform, ', ') from (
            -- The stored size is compared first, so that no long value is expanded.
            select case when pg_column_size(t.platform) <= 64 then left(t.platform::text, 32) else 'an unknown platform' end as platform
            from public.push_tokens t where t.user_id = devices_left_out.recipient limit 100
        ) d where lower(btrim(d.platform, ' ' || chr(9) || chr(10) || chr(13)) collate "C")
            not in ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'apple', 'apns')
    );
exception when undefined_table or undefined_column or insufficient_privilege then return null;
end $$;

comment on schema nudged is 'nudged sends push notifications for this database''s app. The daemon''s tables, and views for operators. Never expose it through an API.';
comment on schema nudged_api is 'What an app''s backend may call: docs/SQL.md. Each call names the user first.';
comment on schema nudged_me is 'What a signed-in user may call, for themselves: docs/SQL.md. Expose it through PostgREST.';
comment on table nudged.own_table is 'The tables of schema public that nudged has created. A table that is not named here belongs to the app.';
comment on table nudged.bound is 'Which tables and columns nudged''s views on the app''s tables read, so that a table that was replaced is noticed.';
-- Refused if the app has made a table of this name.
comment on view nudged.recipient is 'One row per user who could be sent something. The daemon reads it. Redefine it with "create or replace view" to read other tables.';
comment on column nudged.recipient.preferences is 'What the user wants: a JSON object with the keys of docs/POLICY.md, or null.';
comment on column nudged.recipient.timezone is 'The user''s time zone, such as Europe/Berlin. It is used where the preferences name none.';
comment on column nudged.recipient.first_session_complete is 'Whether the user has finished a first session.';
comment on view nudged.device is 'One row per device that nudged can send to. The daemon reads it. Redefine it with "create or replace view" to read other tables.';
comment on column nudged.device.user_id is 'The user who is signed in on the device.';
comment on function nudged.move_device is 'Writes the environment in which a token works into public.push_tokens, if nudged created it. The daemon calls it.';
comment on function nudged.forget_device is 'Deletes a token that Apple has answered with 410, unless the device has registered since. The daemon calls it.';
