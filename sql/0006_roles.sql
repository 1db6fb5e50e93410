-- Rights (docs/SQL.md). Every table has row-level security. Rights go to roles that can do nothing else. nudged_daemon
-- gets what the daemon does, nudged_app the calls of the SQL API. On Supabase, authenticated gets the calls for the
-- signed-in user, and their own rows.
--
-- A later migration says who may use each table and function that it makes. nudged.allow works whether the role exists
-- or not:
--     select nudged.allow('nudged_daemon', 'select, insert, delete', 'nudged.message');
--     select nudged.allow('nudged_app', 'execute', 'nudged.send');

-- Roles belong to the whole cluster, and a managed database may refuse to make them. Then everything else is made, and
-- nudged.grant_roles() does the rest once they exist.
do $$
declare
    wanted text;
begin
    foreach wanted in array array['nudged_daemon', 'nudged_app'] loop
        if not exists (select 1 from pg_roles where rolname = wanted) then
            begin
                execute format('create role %I nologin', wanted);
            exception
                -- Another database's migration made it at the same moment.
                when duplicate_object or unique_violation then null;
                when insufficient_privilege then
                    raise notice 'role % is missing, and % may not make it: create role % nologin, then select nudged.grant_roles()',
                        wanted, current_user, wanted;
            end;
        end if;
    end loop;
end
$$;

-- The rights, for roles that are made later, and for a database that is restored where the roles don't exist: dumps
-- hold no roles. A row for one of the app's tables means that nudged created it.
create table nudged.role_right (
    role text not null,
    -- As the catalog writes it: nudged.person, nudged.touch(uuid).
    object text not null,
    privileges text not null,
    primary key (role, object)
);
alter table nudged.role_right enable row level security;
-- The migrator makes it before all migrations.
alter table nudged.migration enable row level security;

-- Grants one right, if the role and the object exist.
create function nudged.apply_right(who text, privileges text, what text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    is_call boolean := privileges = 'execute';
    relation regclass;
    policy text;
    rows text;
begin
    if not exists (select 1 from pg_roles where rolname = who) then
        return;
    end if;
    if is_call and to_regprocedure(what) is null or not is_call and to_regclass(what) is null then
        return;
    end if;
    -- A role of this name means a user only if auth.uid() says which one.
    if who = 'authenticated' and not exists (
        select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'auth' and p.proname = 'uid' and p.pronargs = 0
    ) then
        return;
    end if;
    execute format('grant usage on schema nudged to %I', who);
    execute format('grant %s on %s %s to %I', privileges, case when is_call then 'function' else 'table' end, what, who);
    if is_call then
        return;
    end if;
    relation := to_regclass(what);
    policy := case who when 'authenticated' then 'nudged_own_rows' else who end;
    -- A signed-in user has their own rows; auth.uid() is called once per statement. Other roles have all rows.
    rows := case who when 'authenticated' then 'user_id = (select auth.uid())' else 'true' end;
    if exists (select 1 from pg_class where oid = relation and relrowsecurity)
        and not exists (select 1 from pg_policy where polrelid = relation and polname = policy)
    then
        execute format('create policy %I on %s to %I using (%s) with check (%s)', policy, what, who, rows, rows);
    end if;
exception when insufficient_privilege then
    raise notice '% may not give % on % to %: its owner can, or select nudged.grant_roles() as its owner', current_user, privileges, what, who;
end
$$;

-- Like GRANT, but remembered. `privileges` is execute for a function, or a list of select, insert, update and delete
-- for a table or view. The first three can be limited to one column, as in `update (id)`. `what` has its schema, and
-- the argument types if several functions have its name. A later call for the same role and object replaces an earlier
-- one.
create function nudged.allow(who text, privileges text, what text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    is_call boolean := privileges = 'execute';
    -- Both are written with their schema, since it is not in the search_path.
    found text := case
        when not is_call then to_regclass(what)::text
        when what like '%(%' then to_regprocedure(what)::text
        else to_regproc(what)::oid::regprocedure::text end;
begin
    if not is_call and privileges !~ '^((select|insert|update)( \([a-z_]+\))?|delete)(, ((select|insert|update)( \([a-z_]+\))?|delete))*$' then
        raise invalid_parameter_value using
            message = 'nudged.allow: `privileges` is neither execute nor a list of select, insert, update, delete',
            hint = 'as in ''select, insert'', or of one column ''select, update (id)''';
    end if;
    if found is null then
        raise undefined_object using
            message = format('nudged.allow: there is no %s %s, or more than one', case when is_call then 'call' else 'table' end, what),
            hint = 'name it with its schema, and a call that has namesakes with its types';
    end if;
    if exists (select 1 from nudged.role_right r where r.role = who and r.object = found and r.privileges <> allow.privileges)
        and exists (select 1 from pg_roles where rolname = who)
    then
        execute format('revoke all on %s %s from %I', case when is_call then 'function' else 'table' end, found, who);
    end if;
    insert into nudged.role_right as r (role, object, privileges) values (who, found, allow.privileges)
    on conflict (role, object) do update set privileges = excluded.privileges;
    perform nudged.apply_right(who, allow.privileges, found);
end
$$;

-- Grants all rights again: after a role was made by hand, after a restore into another cluster, after a view or
-- function was dropped and made again. Repeated, it changes nothing.
create function nudged.grant_roles() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    one record;
begin
    -- Revoke PUBLIC's default EXECUTE.
    for one in
        select p.oid::regprocedure as call from pg_proc p
        where p.pronamespace = 'nudged'::regnamespace and has_function_privilege('public', p.oid, 'execute')
          and pg_has_role(current_user, p.proowner, 'usage')
    loop
        execute format('revoke all on function %s from public', one.call);
    end loop;
    for one in select r.role, r.privileges, r.object from nudged.role_right r order by r.role, r.object loop
        perform nudged.apply_right(one.role, one.privileges, one.object);
    end loop;
end
$$;

-- What the daemon does (sql/queries). It can append to the record, but not change it. `update` of one column is for the
-- locks of FOR UPDATE, which need no more.
select nudged.allow('nudged_daemon', 'select', 'nudged.migration');
select nudged.allow('nudged_daemon', 'select, insert, update', 'nudged.person');
select nudged.allow('nudged_daemon', 'select, insert, update (id), delete', 'nudged.touched');
select nudged.allow('nudged_daemon', 'select, insert, update (joined_at), delete', 'nudged.member');
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.lease');
select nudged.allow('nudged_daemon', 'select, update', 'nudged.range');
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.daemon');
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.intent');
select nudged.allow('nudged_daemon', 'select', 'nudged.setting');
select nudged.allow('nudged_daemon', 'select, insert', 'nudged.delivery');
select nudged.allow('nudged_daemon', 'select, update (urgent), delete', 'nudged.message');
select nudged.allow('nudged_daemon', 'select, delete', 'nudged.message_key');
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.occurrence');
select nudged.allow('nudged_daemon', 'select, update (created_at), delete', 'nudged.reminder');
select nudged.allow('nudged_daemon', 'select', 'nudged.recipient');
select nudged.allow('nudged_daemon', 'select', 'nudged.device');
select nudged.allow('nudged_daemon', 'select', 'nudged.subject_member');
select nudged.allow('nudged_daemon', 'execute', 'nudged.hold_member');
select nudged.allow('nudged_daemon', 'execute', 'nudged.hold_recipients');
select nudged.allow('nudged_daemon', 'execute', 'nudged.preferences_text(jsonb)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.preferences_text(json)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.preferences_text(text)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.context_text(jsonb)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.context_text(json)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.context_text(text)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.has_long_number');
select nudged.allow('nudged_daemon', 'execute', 'nudged.measured_preferences');
select nudged.allow('nudged_daemon', 'execute', 'nudged.measured_context');
select nudged.allow('nudged_daemon', 'execute', 'nudged.maintain_delivery');
select nudged.allow('nudged_daemon', 'execute', 'nudged.merged_quarantine');
select nudged.allow('nudged_daemon', 'execute', 'nudged.prune_message_keys');
select nudged.allow('nudged_daemon', 'execute', 'nudged.forget_device(uuid, text, text, text, timestamptz)');
select nudged.allow('nudged_daemon', 'execute', 'nudged.forget_devices');
select nudged.allow('nudged_daemon', 'execute', 'nudged.devices_left_out');

-- The tables that nudged created: a signed-in user sees and changes their own rows. An existing table gets no such
-- right.
do $$
begin
    perform nudged.allow('authenticated', 'select, insert, update, delete', 'public.' || t.name) from nudged.own_table t order by t.name;
end
$$;

-- The signed-in user of Supabase, for calls on their behalf.
create function nudged.signed_in_user() returns uuid
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
    found uuid;
begin
    if not exists (
        select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'auth' and p.proname = 'uid' and p.pronargs = 0
    ) then
        raise feature_not_supported using
            message = 'nudged: this database has no auth.uid(), so nobody is signed in',
            hint = 'call the variant that names the user, such as nudged.register_device_for';
    end if;
    found := auth.uid();
    if found is null then
        raise invalid_authorization_specification using
            message = 'nudged: nobody is signed in: auth.uid() is null', hint = 'call it with the session of a signed-in user';
    end if;
    return found;
end
$$;

-- The spellings of a token: an existing table may hold it in capitals. Refuses what is no token, without showing it.
create function nudged.device_spellings(call text, token text) returns text[]
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
begin
    -- 64 digits today, 160 in the simulator, at most 200 (Apple: 100 bytes).
    if token is null or token !~ '^[0-9A-Fa-f]+$' or length(token) not between 64 and 200 or length(token) % 2 = 1 then
        raise invalid_parameter_value using
            message = format('nudged.%s: `token` is no device token: 64 to 200 hexadecimal digits, two a byte', call),
            hint = 'pass the bytes of didRegisterForRemoteNotificationsWithDeviceToken, each as two digits';
    end if;
    return array[lower(token), upper(token), token];
end
$$;

-- Fails if the app's tokens are in another table than public.push_tokens.
create function nudged.require_push_tokens(call text) returns void
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
begin
    if to_regclass('public.push_tokens') is null then
        raise undefined_table using
            message = format('nudged.%s: there is no table public.push_tokens: the devices are in another table', call),
            hint = 'write that table yourself, or redefine nudged.register_device_for and nudged.unregister_device_for (docs/SQL.md)';
    end if;
end
$$;

-- What an app calls at each start: this device is this user's now. It renews the registration, so a quarantine ends and
-- an older 410 deletes nothing. It takes the token from the user who was signed in on the phone before. A database
-- whose tokens are elsewhere redefines this function and nudged.unregister_device_for.
--
-- It writes only the columns that nudged knows, each in the type that the table has. It relies on no unique key: calls
-- for one token run one after the other. An error of the table is reported without the row, which the server's DETAIL
-- would show.
create function nudged.register_device_for(
    user_id uuid, token text, platform text default 'ios', environment text default null, topic text default null
) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
-- For columns without a zone: forget_device also reads them as UTC.
set timezone = 'UTC'
as $$
declare
    spellings text[] := nudged.device_spellings('register_device', token);
    -- Not the begin of the transaction, since the app presents its token now.
    instant timestamptz := clock_timestamp();
    types jsonb;
    known integer;
    state text;
    error_text text;
    broken text;
begin
    if user_id is null then
        raise invalid_parameter_value using message = 'nudged.register_device: `user_id` is null', hint = 'pass the id of the user who is signed in';
    end if;
    if platform is null or platform not in ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos') then
        raise invalid_parameter_value using
            message = 'nudged.register_device: `platform` is not one that nudged sends to', hint = 'pass ios, ipados, macos, watchos, tvos or visionos';
    end if;
    if environment is not null and environment not in ('sandbox', 'production') then
        raise invalid_parameter_value using
            message = 'nudged.register_device: `environment` is neither sandbox nor production nor null',
            hint = 'sandbox for builds from Xcode, production for those of TestFlight and the store, null for what the daemon is configured to';
    end if;
    if topic is not null and (topic !~ '^[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$' or length(topic) > 155) then
        raise invalid_parameter_value using
            message = 'nudged.register_device: `topic` is no bundle id', hint = 'pass the app''s bundle id, or null for the app that the daemon is configured to';
    end if;

    perform nudged.require_push_tokens('register_device');
    select jsonb_object_agg(a.attname, format_type(a.atttypid, null)) into types
    from pg_attribute a where a.attrelid = 'public.push_tokens'::regclass and a.attnum > 0 and not a.attisdropped;
    perform pg_advisory_xact_lock(hashtextextended('nudged.device ' || spellings[1], 0));
    for attempt in 1..2 loop
        begin
            execute 'delete from public.push_tokens t where t.device_token::text = any ($1) and t.user_id <> $2' using spellings, user_id;
            -- A registration in the future, from a wrong clock, would hide this one.
            execute format(
                'update public.push_tokens t set platform = $3::%s, environment = $4::%s, topic = $5::%s, updated_at = $6,
                    created_at = case when t.created_at > $6 then $6 else t.created_at end
                where t.user_id = $2 and t.device_token::text = any ($1)',
                types ->> 'platform', types ->> 'environment', types ->> 'topic')
            using spellings, user_id, platform, environment, topic, instant;
            get diagnostics known = row_count;
            if known = 0 then
                execute format(
                    'insert into public.push_tokens (user_id, device_token, platform, environment, topic, created_at, updated_at)
                    values ($2, $1::%s, $3::%s, $4::%s, $5::%s, $6, $6)',
                    types ->> 'device_token', types ->> 'platform', types ->> 'environment', types ->> 'topic')
                using spellings[1], user_id, platform, environment, topic, instant;
            end if;
            return;
        exception
            when others then
                get stacked diagnostics state = returned_sqlstate, error_text = message_text, broken = constraint_name;
                -- The app itself wrote this row meanwhile, so it is there now. Tried once more only, since another
                -- unique key of the app may be violated for good.
                if state <> '23505' or attempt = 2 then
                    raise exception using
                        errcode = state, constraint = broken, schema = 'public', table = 'push_tokens',
                        message = 'nudged.register_device: ' || regexp_replace(error_text, '[0-9A-Fa-f]{64,}', '(token)', 'g'),
                        hint = 'public.push_tokens must take a row of user_id, device_token, platform, environment, topic, created_at, updated_at';
                end if;
        end;
    end loop;
end
$$;

-- The user has signed out, or wants no pushes on this device. Returns whether it was theirs.
create function nudged.unregister_device_for(user_id uuid, token text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    spellings text[] := nudged.device_spellings('unregister_device', token);
begin
    if user_id is null then
        raise invalid_parameter_value using message = 'nudged.unregister_device: `user_id` is null', hint = 'pass the id of the user who is signed in';
    end if;
    perform nudged.require_push_tokens('unregister_device');
    delete from public.push_tokens t where t.user_id = unregister_device_for.user_id and t.device_token::text = any (spellings);
    return found;
end
$$;

-- The same two functions for the signed-in user of Supabase.
create function nudged.register_device(token text, platform text default 'ios', environment text default null, topic text default null) returns void
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select nudged.register_device_for(nudged.signed_in_user(), token, platform, environment, topic) $$;

create function nudged.unregister_device(token text) returns boolean
language sql security definer
set search_path = pg_catalog, pg_temp
as $$ select nudged.unregister_device_for(nudged.signed_in_user(), token) $$;

select nudged.allow('nudged_app', 'execute', 'nudged.send');
select nudged.allow('nudged_app', 'execute', 'nudged.send_many(jsonb)');
select nudged.allow(
    'nudged_app', 'execute', 'nudged.send_many(uuid[], text, text, jsonb, boolean, text, text, text, timestamptz, text)');
select nudged.allow('nudged_app', 'execute', 'nudged.cancel');
select nudged.allow('nudged_app', 'execute', 'nudged.cancel_messages');
select nudged.allow('nudged_app', 'execute', 'nudged.touch');
select nudged.allow('nudged_app', 'execute', 'nudged.forget');
select nudged.allow('nudged_app', 'execute', 'nudged.register_device_for');
select nudged.allow('nudged_app', 'execute', 'nudged.unregister_device_for');
select nudged.allow('nudged_app', 'execute', 'nudged.set_reminder');
select nudged.allow('nudged_app', 'execute', 'nudged.cancel_reminders');
select nudged.allow('nudged_app', 'execute', 'nudged.snooze');
-- For a trigger on a table of the app.
select nudged.allow('nudged_app', 'execute', 'nudged.cancel_subject_reminders');
select nudged.allow('nudged_app', 'execute', 'nudged.recurrence_fault');
select nudged.allow('nudged_app', 'execute', 'nudged.recurrence_until');
select nudged.allow('authenticated', 'execute', 'nudged.register_device');
select nudged.allow('authenticated', 'execute', 'nudged.unregister_device');
select nudged.grant_roles();

-- What people see in psql (\d+, \df+) and in Supabase's editor.
comment on table nudged.migration is 'The migrations that were applied. "nudged migrate" writes it.';
comment on column nudged.migration.number is 'The migration''s number.';
comment on column nudged.migration.name is 'The migration''s name.';
comment on column nudged.migration.checksum is 'A hash of the migration''s text.';
comment on column nudged.migration.applied_at is 'When it was applied.';
comment on column nudged.migration.oldest is 'A daemon must know the migration of this number to work with the schema. 0: any daemon can.';
comment on table nudged.role_right is 'Which role has which right. nudged.allow writes it; nudged.grant_roles grants all of it again.';
comment on column nudged.role_right.role is 'The role.';
comment on column nudged.role_right.object is 'The table, view or function, as the catalog writes it.';
comment on column nudged.role_right.privileges is 'The privileges, as GRANT writes them.';
comment on function nudged.apply_right is 'Grants one right, if the role and the object exist.';
comment on function nudged.allow is 'Grants a role rights on an object, and remembers them for roles and databases to come.';
comment on function nudged.grant_roles is 'Grants all remembered rights again: after a role was made by hand, after a restore, after a view was dropped and made again.';
comment on function nudged.signed_in_user is 'The id of the signed-in user, by Supabase''s auth.uid(). Fails if nobody is signed in.';
comment on function nudged.device_spellings is 'The spellings in which a device token may be stored. Fails if it is no token.';
comment on function nudged.require_push_tokens is 'Fails if there is no table public.push_tokens.';
comment on function nudged.register_device_for is 'Registers a user''s device. The app''s backend calls it at each start of the app.';
comment on function nudged.unregister_device_for is 'Removes a user''s device. Returns whether it was theirs.';
comment on function nudged.register_device is 'Registers a device of the signed-in user. The app calls it at each start.';
comment on function nudged.unregister_device is 'Removes a device of the signed-in user. Returns whether it was theirs.';
