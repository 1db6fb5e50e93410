-- Rights (docs/TABLES.md, docs/THREATS.md). Every table has row-level security. Rights go to roles that can do nothing
-- else:
-- - nudged_daemon has what the daemon does, in schema nudged.
-- - nudged_app has the calls of schema nudged_api. On Supabase, service_role has them as well.
-- - authenticated, on Supabase, has the calls of schema nudged_me, and the user's own rows.
-- - nudged_writer writes the app's tables, and has no other right. A trigger on these tables runs with its rights. Its
--   functions set row_security: where it is off, they would fail at the first policy.
-- A later migration says who may use each table and function that it makes: nudged.allow, whether the role exists or not.

-- Roles belong to the whole cluster, and a managed database may refuse to make them. Then everything else is made, and
-- nudged.grant_roles() does the rest once they exist.
do $$
declare wanted text;
begin
    foreach wanted in array array['nudged_daemon', 'nudged_app', 'nudged_writer'] loop
        if not exists (select 1 from pg_roles where rolname = wanted) then
            begin
                execute format('create role %I nologin', wanted);
            exception
                -- Another database's migration made it at the same moment.
                when duplicate_object or unique_violation then null;
                when insufficient_privilege then
                    raise notice 'role % is missing, and % may not make it: create role % nologin%, then select nudged.grant_roles()',
                        wanted, current_user, wanted, case wanted when 'nudged_writer' then format('; grant nudged_writer to %I', current_user) else '' end;
            end;
        end if;
    end loop;
end $$;

-- The rights, for roles that are made later, and for a database that is restored where the roles don't exist: dumps
-- hold no roles. A row for one of the app's tables means that nudged created it.
create table nudged.role_right (
    role text not null,
    -- As the catalog writes it: nudged.person, nudged_api.touch(uuid).
    object text not null,
    privileges text not null,
    primary key (role, object)
);
select nudged.finish_tables();

-- Grants one right, if the role and the object exist. `own`: the function runs with this role's rights from then on.
create function nudged.apply_right(who text, privileges text, what text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    is_call constant boolean := privileges in ('execute', 'own');
    relation constant regclass := case when not is_call then to_regclass(what) end;
    call constant regprocedure := case when is_call then to_regprocedure(what) end;
    place oid; counter regclass; policy text; rows text;
begin
    if not exists (select 1 from pg_roles where rolname = who) or coalesce(relation::oid, call::oid) is null then return; end if;
    -- These names are Supabase's roles only if auth.uid() says who is signed in.
    if who in ('authenticated', 'service_role') and not exists (
        select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'auth' and p.proname = 'uid' and p.pronargs = 0
    ) then
        return;
    end if;
    place := coalesce((select relnamespace from pg_class where oid = relation), (select pronamespace from pg_proc where oid = call));
    if privileges = 'own' then
        perform nudged.give_call(call, who);
        return;
    end if;
    -- A trigger on the app's tables must not be able to name nudged_writer's functions: it could alter them.
    if not has_schema_privilege(who, place, 'usage') and not (who = 'nudged_writer' and place = 'nudged'::regnamespace) then
        execute format('grant usage on schema %s to %I', place::regnamespace, who);
    end if;
    execute format('grant %s on %s %s to %I', privileges, case when is_call then 'function' else 'table' end, what, who);
    if is_call then return; end if;
    -- A serial column's sequence has rights of its own. An identity column's needs none.
    if privileges like '%insert%' then
        for counter in
            select d.objid::regclass from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
            where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.refobjid = relation and d.deptype = 'a'
        loop
            execute format('grant usage on sequence %s to %I', counter, who);
        end loop;
    end if;
    policy := case who when 'authenticated' then 'nudged_own_rows' else who end;
    -- A signed-in user has their own rows; auth.uid() is called once per statement. Other roles have all rows.
    rows := case who when 'authenticated' then 'user_id = (select auth.uid())' else 'true' end;
    if exists (select 1 from pg_class where oid = relation and relrowsecurity)
        and not exists (select 1 from pg_policy where polrelid = relation and polname = policy)
    then
        execute format('create policy %I on %s to %I using (%s) with check (%s)', policy, what, who, rows, rows);
    end if;
exception when insufficient_privilege then
    if privileges = 'own' then
        raise notice '% is no member of %, so % keeps its owner''s rights: grant % to %, then select nudged.grant_roles()',
            current_user, who, what, who, current_user;
    else
        raise notice '% may not give % on % to %: its owner can, or select nudged.grant_roles() as its owner', current_user, privileges, what, who;
    end if;
end $$;

-- Makes a role the owner of a function that writes the app's tables, so that it runs with this role's rights. If the
-- role may not write the tables, the function stays as it is: a token that can't be deleted is worse. It also stays if
-- no table is named (nudged.allow): then it writes nothing.
create function nudged.give_call(call regprocedure, who text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    written constant text[] := array(
        select r.object from nudged.role_right r where r.role = who and r.privileges like '%delete%' and to_regclass(r.object) is not null
    );
    refused constant text := (select string_agg(w, ', ') from unnest(written) as w where not has_table_privilege(who, to_regclass(w), 'delete'));
begin
    if (select proowner from pg_proc where oid = call) = (select oid from pg_roles where rolname = who) or written = '{}' then
        return;
    elsif refused is not null then
        raise notice '% may not write %, so % keeps its owner''s rights: grant select, insert, update, delete on it to %, then select nudged.grant_roles()',
            who, refused, call, who;
        return;
    end if;
    -- Since PostgreSQL 16, a role that made another one is a member of it that inherits nothing.
    if not pg_has_role(current_user, who, 'usage') then execute format('grant %I to current_user', who); end if;
    -- A function's owner must be allowed to create functions in its schema, at this moment.
    execute format('grant create on schema nudged to %I', who);
    execute format('alter function %s owner to %I', call, who);
    execute format('revoke create on schema nudged from %I', who);
end $$;

-- Like GRANT, but remembered. `who`: a role, or several with commas between them. `privileges` is execute or own for a
-- function, or a list of select, insert, update and delete for a table or view. Select, insert and update can be limited
-- to one column, as in `update (id)`. `what` has its schema, and the argument types if several functions have its name.
-- A later call for the same role and object replaces an earlier one. Names are compared as text, so none is quoted.
create function nudged.allow(who text, privileges text, variadic what text[]) returns void
language plpgsql set search_path = pg_catalog, pg_temp set quote_all_identifiers = off as $$
declare
    is_call constant boolean := privileges in ('execute', 'own');
    one record;
begin
    if nudged.refuse('nudged.allow', case
        when not is_call and privileges !~ '^((select|insert|update)( [(][a-z_]+[)])?|delete)(, ((select|insert|update)( [(][a-z_]+[)])?|delete))*$' then array[
            '`privileges` is neither execute, own nor a list of select, insert, update, delete',
            'as in ''select, insert'', or of one column ''select, update (id)'''] end) then end if;
    for one in
        -- Each is written with its schema, since it is not in the search_path.
        select o.name, r.role, case
            when not is_call then to_regclass(o.name)::text
            when o.name like '%(%' then to_regprocedure(o.name)::text
            else to_regproc(o.name)::oid::regprocedure::text end as listed
        from unnest(what) as o (name) cross join regexp_split_to_table(who, ', ') as r (role)
    loop
        if nudged.refuse('nudged.allow', case when one.listed is null then array[
            format('there is no %s %s, or more than one', case when is_call then 'call' else 'table' end, one.name),
            'name it with its schema, and a call that has namesakes with its types', '42704'] end) then end if;
        if exists (select from nudged.role_right r where r.role = one.role and r.object = one.listed and r.privileges <> allow.privileges)
            and exists (select from pg_roles where rolname = one.role)
        then
            execute format('revoke all on %s %s from %I', case when is_call then 'function' else 'table' end, one.listed, one.role);
        end if;
        insert into nudged.role_right as r (role, object, privileges) values (one.role, one.listed, allow.privileges)
        on conflict (role, object) do update set privileges = excluded.privileges;
        perform nudged.apply_right(one.role, allow.privileges, one.listed);
    end loop;
end $$;

-- Rights in nudged's schemas and tables that nobody gave by nudged.allow: what a broad grant gave anon, authenticated,
-- service_role, PUBLIC or nudged's own roles, default privileges included. Rights of other roles are the operator's.
create view nudged.excess_right with (security_barrier) as
with holder as (
    select r.oid, r.rolname::text as role from pg_roles r
    where r.rolname in ('anon', 'authenticated', 'service_role', 'nudged_app', 'nudged_daemon', 'nudged_writer')
    union all select 0, 'public'
),
-- By name, since the reader may have no right to look it up; without quotes (quote_all_identifiers).
listed as materialized (
    select r.role, r.object, split_part(r.object, '.', 1) as schema,
        upper(split_part(p.privilege, ' ', 1) collate "C") as privilege, substring(p.privilege from '[(](.*)[)]') as attribute
    from nudged.role_right r cross join lateral regexp_split_to_table(r.privileges, ', ') as p (privilege)
),
object as (
    select 'schema' as kind, quote_ident(n.nspname) as name, quote_ident(n.nspname) as signature, null::text as attribute, n.nspowner as owner, n.nspacl as acl, n.nspname
    from pg_namespace n where n.nspname in ('nudged', 'nudged_api', 'nudged_me')
    union all
    select case c.relkind when 'S' then 'sequence' else 'table' end, format('%I.%I', n.nspname, c.relname), format('%s.%s', n.nspname, c.relname), a.attname, c.relowner, a.acl, n.nspname
    from pg_class c join pg_namespace n on n.oid = c.relnamespace cross join lateral (
        select null::text as attname, c.relacl as acl
        union all
        select t.attname, t.attacl from pg_attribute t where t.attrelid = c.oid and t.attacl is not null and not t.attisdropped
    ) a
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and (n.nspname in ('nudged', 'nudged_api', 'nudged_me') or n.nspname = 'public' and c.relname in (select o.name from nudged.own_table o))
    union all select 'routine', format('%I.%I(%s)', n.nspname, p.proname,
            -- REVOKE does not read an aggregate's `*` and ORDER BY.
            case p.prokind when 'a' then oidvectortypes(p.proargtypes) else pg_get_function_identity_arguments(p.oid) end),
        replace(format('%s.%s(%s)', n.nspname, p.proname, replace(oidvectortypes(p.proargtypes), ', ', ',')), '"', ''), null, p.proowner,
        coalesce(p.proacl, acldefault('f', p.proowner)), n.nspname
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('nudged', 'nudged_api', 'nudged_me')
),
too_many as (
    select h.role, o.kind, o.name as object, lower(a.privilege_type collate "C") || coalesce(' (' || quote_ident(o.attribute) || ')', '') as privilege,
        l.is_listed, case when a.grantor <> o.owner then quote_ident(pg_get_userbyid(a.grantor)) end as giver
    from object o cross join lateral aclexplode(o.acl) a
    join holder h on h.oid = a.grantee
    cross join lateral (
        select case o.kind
            when 'schema' then a.privilege_type = 'USAGE' and h.role <> 'nudged_writer'
                and exists (select from listed l where l.role = h.role and l.schema = o.nspname)
            else exists (
                select from listed l
                where l.role = h.role and l.object = o.signature and l.privilege = a.privilege_type and l.attribute is not distinct from o.attribute
            ) end as is_listed
    ) l
    -- A backend of Supabase writes the app's tables as service_role. A grant option is too much: it can give to anon.
    where a.grantee <> o.owner and (o.nspname <> 'public' or h.role in ('public', 'anon', 'authenticated')) and (not l.is_listed or a.is_grantable)
)
-- A right that another role gave ends only with that role's grant option.
select role, object, string_agg(distinct case when is_listed then 'grant option for ' else '' end || privilege, ', ') as privileges,
    format('revoke %s%s on %s %s from %s cascade', case when is_listed or giver is not null then 'grant option for ' end,
        string_agg(distinct privilege, ', '), kind, object, coalesce(giver, role)) as statement
from too_many group by role, kind, object, is_listed, giver
union all
select h.role, format('new %s that %I makes in schema %I', k.kind, pg_get_userbyid(d.defaclrole), n.nspname), string_agg(lower(a.privilege_type collate "C"), ', '),
    format('alter default privileges for role %I in schema %I revoke all on %s from %s', pg_get_userbyid(d.defaclrole), n.nspname, k.kind, h.role)
from pg_default_acl d join pg_namespace n on n.oid = d.defaclnamespace and n.nspname in ('nudged', 'nudged_api', 'nudged_me')
cross join lateral (select case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' end as kind) k
cross join lateral aclexplode(d.defaclacl) a join holder h on h.oid = a.grantee and h.oid <> d.defaclrole
where k.kind is not null group by h.role, d.defaclrole, n.nspname, k.kind;

-- Takes back all of nudged.excess_right. Returns how many statements that took. JIT compilation would take seconds.
create function nudged.take_back_rights() returns integer language plpgsql set search_path = pg_catalog, pg_temp set jit = off as $$
declare
    one record;
    taken integer := 0;
begin
    for one in select e.role, e.object, e.statement from nudged.excess_right e order by e.role, e.object loop
        begin
            execute one.statement;
            taken := taken + 1;
        exception when insufficient_privilege then
            raise notice '% may not take back the rights of % on %: its owner can, with: %', current_user, one.role, one.object, one.statement;
        end;
    end loop;
    return taken;
end $$;

-- Gives each role exactly the rights of nudged.role_right: after a role was made by hand, after a restore into another
-- cluster, after a view or function was dropped and made again, after a broad grant. Repeated, it changes nothing.
create function nudged.grant_roles() returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare one record;
begin
    perform nudged.take_back_rights();
    -- `own` comes last: it asks what the role may write.
    for one in select r.role, r.privileges, r.object from nudged.role_right r order by r.privileges = 'own', r.role, r.object loop
        perform nudged.apply_right(one.role, one.privileges, one.object);
    end loop;
end $$;

-- What the daemon does (sql/queries). It appends to the record only. `update` of one column is what FOR UPDATE needs.
select nudged.allow('nudged_daemon', 'select',
    'nudged.migration', 'nudged.setting', 'nudged.recipient', 'nudged.device', 'nudged.subject_member', 'nudged.excess_right', 'nudged.seen', 'nudged.surface');
select nudged.allow('nudged_daemon', 'select, insert', 'nudged.delivery');
select nudged.allow('nudged_daemon', 'select, insert, update', 'nudged.person');
select nudged.allow('nudged_daemon', 'select, update', 'nudged.range');
select nudged.allow('nudged_daemon', 'select, delete', 'nudged.message_key');
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.lease', 'nudged.daemon', 'nudged.intent', 'nudged.occurrence');
select nudged.allow('nudged_daemon', 'select, insert, update (id), delete', 'nudged.touched');
select nudged.allow('nudged_daemon', 'select, insert, update (joined_at), delete', 'nudged.member');
select nudged.allow('nudged_daemon', 'select, update (urgent), delete', 'nudged.message');
select nudged.allow('nudged_daemon', 'select, update (created_at), delete', 'nudged.reminder');
select nudged.allow('nudged_daemon', 'execute',
    'nudged.hold_member', 'nudged.hold_recipients', 'nudged.preferences_text(jsonb)', 'nudged.preferences_text(json)', 'nudged.preferences_text(text)',
    'nudged.context_text(jsonb)', 'nudged.context_text(json)', 'nudged.context_text(text)', 'nudged.readable', 'nudged.subject_spellings',
    'nudged.has_long_number', 'nudged.measured_preferences', 'nudged.measured_context', 'nudged.maintain_delivery', 'nudged.merged_quarantine',
    'nudged.prune_message_keys', 'nudged.forget_devices', 'nudged.move_device', 'nudged.devices_left_out');

-- The tables that nudged created: a signed-in user sees their own rows, and changes their own preferences. A device is
-- registered by nudged_me.register_device only, which checks it. An existing table gets no such right.
select nudged.allow('authenticated', 'select, insert, update, delete', 'public.context_profiles') from nudged.own_table where name = 'context_profiles';
select nudged.allow('authenticated', 'select, delete', 'public.push_tokens') from nudged.own_table where name = 'push_tokens';

-- The signed-in user of Supabase, for calls on their behalf.
create function nudged.signed_in_user() returns uuid language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare who uuid; fault text[];
begin
    if not exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'auth' and p.proname = 'uid' and p.pronargs = 0) then
        fault := array['this database has no auth.uid(), so nobody is signed in', 'call the function of schema nudged_api, which names the user', '0A000'];
    else
        begin
            who := auth.uid();
            if who is null then
                fault := array['nobody is signed in: auth.uid() is null', 'call it with the session of a signed-in user', '28000'];
            end if;
        exception when invalid_text_representation then
            fault := array['the session''s user id is no UUID', 'call the function of schema nudged_api, which names the user, from a backend', '28000'];
        end;
    end if;
    if nudged.refuse('nudged', fault) then end if;
    return who;
end $$;

-- Calls of signed-in users that write something. Per user: the hour and the day that a call began, and the calls since.
create table nudged.own_call (
    user_id uuid primary key,
    hour_since timestamptz not null, hour_calls integer not null,
    day_since timestamptz not null, day_calls integer not null
) with (fillfactor = 50);

-- The signed-in user, for a call that writes something. Each such call begins with it, so that nobody fills the record
-- or keeps the daemon busy. A user's calls run one after the other.
create function nudged.counted_user(call text) returns uuid language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    recipient constant uuid := nudged.signed_in_user();
    instant constant timestamptz := clock_timestamp();
    most record; counted record; span text; ends timestamptz;
begin
    insert into nudged.own_call as c (user_id, hour_since, hour_calls, day_since, day_calls) values (recipient, instant, 1, instant, 1)
    on conflict (user_id) do update set
        hour_since = case when abs(extract(epoch from instant - c.hour_since)) < 3600 then c.hour_since else instant end,
        hour_calls = case when abs(extract(epoch from instant - c.hour_since)) < 3600 then c.hour_calls + 1 else 1 end,
        day_since = case when abs(extract(epoch from instant - c.day_since)) < 86400 then c.day_since else instant end,
        day_calls = case when abs(extract(epoch from instant - c.day_since)) < 86400 then c.day_calls + 1 else 1 end
    returning * into counted;
    select coalesce(max(s.max_calls_per_hour), 500) as per_hour, coalesce(max(s.max_calls_per_day), 2000) as per_day into most from nudged.setting s;
    span := case when counted.day_calls > most.per_day then 'day' when counted.hour_calls > most.per_hour then 'hour' end;
    ends := case span when 'day' then counted.day_since + interval '24 hours' else counted.hour_since + interval '1 hour' end;
    if nudged.refuse(call, case when span is not null then array[
        format('you have made %s calls in %s', case span when 'day' then most.per_day else most.per_hour end, case span when 'day' then 'a day' else 'an hour' end),
        format('Wait until %s. The owner of nudged can raise nudged.setting.max_calls_per_%s.', to_char(ends at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), span),
        'ND040'] end) then end if;
    return recipient;
end $$;
select nudged.finish_tables();

-- The spellings of a token: an existing table may hold it in capitals. Refuses what is no token, without showing it.
create function nudged.device_spellings(call text, token text) returns text[] language plpgsql immutable set search_path = pg_catalog, pg_temp as $$ begin
    -- 64 digits today, 160 in the simulator, at most 200 (Apple: 100 bytes).
    if nudged.refuse(call, case
        when token is null or token !~ '^[0-9A-Fa-f]+$' or length(token) not between 64 and 200 or length(token) % 2 = 1 then array[
            '`token` is no device token: 64 to 200 hexadecimal digits, two a byte',
            'pass the bytes of didRegisterForRemoteNotificationsWithDeviceToken, each as two digits'] end) then end if;
    return array[lower(token collate "C"), upper(token collate "C"), token];
end $$;

-- An app calls this at each start: this device is now this user's, and the user is in this zone. It renews the
-- registration: a quarantine ends, an older 410 deletes nothing. A former user loses the token.
create function nudged.register(
    call text, user_id uuid, token text, platform text default 'ios', environment text default null, topic text default null,
    timezone text default null, locale text default null, surface text default null
) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    spellings constant text[] := nudged.device_spellings(call, token);
    fault constant text[] := case
        when user_id is null then array['`user_id` is null', 'pass the id of the user who is signed in']
        when platform is null or platform not in ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos') then array[
            '`platform` is not one that nudged sends to', 'pass ios, ipados, macos, watchos, tvos or visionos']
        when environment not in ('sandbox', 'production') then array[
            '`environment` is neither sandbox nor production nor null',
            'sandbox for builds from Xcode, production for those of TestFlight and the store, null if you don''t know: then both are tried']
        when topic !~ '^[A-Za-z0-9-]+([.][A-Za-z0-9-]+)+$' or length(topic) > 155 then array[
            '`topic` is no bundle id', 'pass the app''s bundle id, or null for the app in the daemon''s configuration']
        -- The form only (docs/POLICY-SPEC.md, "Zone"). A phone may know a new zone before this server does.
        when octet_length(timezone) > 255 or timezone not in ('UTC', 'GMT', 'UCT', 'Universal', 'Zulu', 'Greenwich')
            and (timezone !~ '^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)+$' or timezone ~ '^(posix|right)/') then array[
            '`timezone` is no zone''s name', 'pass the device''s zone, such as Europe/Paris, or null']
        when octet_length(locale) > 64 or locale !~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$' then array[
            '`locale` is no language', 'pass the user''s language, such as de or pt-BR, or null']
        when surface !~ '^(widgets|controls|start:[A-Za-z_][A-Za-z0-9_.]{0,199}|activity:.+)$' or octet_length(surface) > 209 then array[
            '`surface` is not valid', 'pass widgets, controls, start: and your Swift type, activity: and your name of the activity, or null for the device''s own token']
    end;
begin
    if nudged.refuse(call, fault) then end if;
    perform nudged.hold('device ' || spellings[1]);
    if surface is null then
        perform nudged.write_device(user_id, spellings, platform, environment, topic);
    else
        perform nudged.write_surface(user_id, spellings[1], surface, environment, topic);
    end if;
    if num_nonnulls(timezone, locale) > 0 and nudged.may_write_profiles() then
        perform nudged.write_place(user_id, timezone, locale);
    end if;
    return nudged.result_of();
end $$;

-- Writes a token of a Live Activity, of widgets or of controls.
create function nudged.write_surface(recipient uuid, token text, surface text, environment text, topic text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
begin
    delete from nudged.surface where token = write_surface.token and user_id <> recipient;
    insert into nudged.surface (user_id, surface, token, environment, topic)
    values (recipient, write_surface.surface, write_surface.token, write_surface.environment, write_surface.topic)
    on conflict (user_id, surface, token) do update set environment = excluded.environment, topic = excluded.topic, registered_at = clock_timestamp();
    -- A phone ends an activity after eight hours, and shows it for four more.
    delete from nudged.surface
    where user_id = recipient and (
        starts_with(surface, 'activity:') and registered_at < clock_timestamp() - interval '1 day'
        or registered_at < (select s.registered_at from nudged.surface s where s.user_id = recipient order by s.registered_at desc offset 99 limit 1));
    -- A message may wait for this token.
    insert into nudged.touched (user_id, arrival) values (recipient, true);
end $$;

-- Writes a device's row. `spellings`: the token, as it may be stored; the first one is inserted. A database whose
-- devices are elsewhere redefines it and nudged.remove_device. It writes only the columns that nudged knows, each in
-- the type that the table has. It relies on no unique key: calls for one token run one after the other. An error of the
-- table is reported without the row, which the server's DETAIL would show. Columns without a zone hold UTC.
create function nudged.write_device(recipient uuid, spellings text[], platform text, environment text, topic text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = on set timezone = 'UTC' as $$
declare
    -- Not the begin of the transaction, since the app presents its token now.
    instant constant timestamptz := clock_timestamp();
    types jsonb; known integer; state text; error_text text; broken text;
begin
    if to_regclass('public.push_tokens') is null then
        raise undefined_table using message = 'register_device: there is no table public.push_tokens: the devices are in another table',
            hint = 'write that table yourself, or redefine nudged.write_device and nudged.remove_device (docs/TABLES.md)';
    end if;
    select jsonb_object_agg(a.attname, format_type(a.atttypid, null)) into types
    from pg_attribute a where a.attrelid = 'public.push_tokens'::regclass and a.attnum > 0 and not a.attisdropped;
    for attempt in 1..2 loop
        begin
            execute 'delete from public.push_tokens t where t.device_token::text = any ($1) and t.user_id <> $2' using spellings, recipient;
            -- A registration in the future, from a wrong clock, would hide this one.
            execute format(
                'update public.push_tokens t set platform = $3::%s, environment = $4::%s, topic = $5::%s, updated_at = $6,
                    created_at = case when t.created_at > $6 then $6 else t.created_at end
                where t.user_id = $2 and t.device_token::text = any ($1)',
                types ->> 'platform', types ->> 'environment', types ->> 'topic')
            using spellings, recipient, platform, environment, topic, instant;
            get diagnostics known = row_count;
            if known = 0 then
                execute format(
                    'insert into public.push_tokens (user_id, device_token, platform, environment, topic, created_at, updated_at)
                    values ($2, $1::%s, $3::%s, $4::%s, $5::%s, $6, $6)',
                    types ->> 'device_token', types ->> 'platform', types ->> 'environment', types ->> 'topic')
                using spellings[1], recipient, platform, environment, topic, instant;
            end if;
            return;
        exception
            when others then
                get stacked diagnostics state = returned_sqlstate, error_text = message_text, broken = constraint_name;
                -- The app itself wrote this row meanwhile. Tried once more only: another unique key may be violated for good.
                if state <> '23505' or attempt = 2 then
                    raise exception using
                        errcode = state, constraint = broken, schema = 'public', table = 'push_tokens',
                        message = 'register_device: ' || regexp_replace(error_text, '[0-9A-Fa-f]{64,}', '(token)', 'g'),
                        hint = case state
                            when '42501' then 'nudged_writer writes public.push_tokens, and its triggers run with the rights of nudged_writer. Grant what is missing, or make the trigger''s function SECURITY DEFINER.'
                            else 'public.push_tokens must take a row of user_id, device_token, platform, environment, topic, created_at, updated_at' end;
                end if;
        end;
    end loop;
end $$;

create function nudged.unregister(call text, user_id uuid, token text) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$
declare spellings constant text[] := nudged.device_spellings(call, token);
begin
    if nudged.refuse(call, case when user_id is null then array['`user_id` is null', 'pass the id of the user who is signed in'] end) then end if;
    delete from nudged.surface s where s.user_id = unregister.user_id and s.token = spellings[1];
    return nudged.result_of(done => case when found then 1 else nudged.remove_device(user_id, spellings)::integer end);
end $$;

-- Deletes a device's row. Returns whether it was this user's.
create function nudged.remove_device(recipient uuid, spellings text[]) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = on as $$ begin
    if to_regclass('public.push_tokens') is null then
        raise undefined_table using message = 'unregister_device: there is no table public.push_tokens: the devices are in another table',
            hint = 'write that table yourself, or redefine nudged.write_device and nudged.remove_device (docs/TABLES.md)';
    end if;
    delete from public.push_tokens t where t.user_id = recipient and t.device_token::text = any (spellings);
    return found;
end $$;

-- Makes a call of an app in both schemas from one function of schema nudged. That function's first arguments are the
-- call's name and the user. In nudged_api the backend names the user. In nudged_me it is the signed-in user, and a call
-- that writes is counted. A text loses the collation of the caller's column, and a subject's id is folded. what: the
-- comment, with a place for the user. backends_only: the arguments that nudged_me leaves out.
create function nudged.make_calls(name text, made_from regproc, writes boolean, what text, variadic backends_only text[] default '{}') returns void
language plpgsql set search_path = pg_catalog, pg_temp set quote_all_identifiers = off as $$
declare one record; called text;
begin
    for one in
        select s.schema || '.' || name as call, s.*, p.proretset, a.*
        from pg_proc p cross join (values
            ('nudged_api', '%s nudged.require_backend(%L); ', 'user_id', 'nudged_app, service_role', 'a user'),
            ('nudged_me', '', case when writes then 'nudged.counted_user(%L)' else 'nudged.signed_in_user()' end, 'authenticated', 'the signed-in user')
        ) as s (schema, check_first, recipient, roles, whose)
        cross join lateral (
            select
                string_agg(concat_ws(' ', case g when 2 then 'user_id' else p.proargnames[g] end, format_type(p.proargtypes[g - 1], null),
                    'default ' || pg_get_function_arg_default(p.oid, g)), ', ' order by g) filter (where g > 2 or s.schema = 'nudged_api') as declared,
                string_agg(format('%s => %s', p.proargnames[g], case when g = 2 then s.recipient
                    when p.proargnames[g] = 'subject_id' then 'nudged.subject_key(subject_id)'
                    when p.proargtypes[g - 1] = 'text'::regtype then p.proargnames[g] || ' collate "default"'
                    else p.proargnames[g] end), ', ' order by g) as passed
            from generate_series(2, p.pronargs) as g where s.schema = 'nudged_api' or p.proargnames[g] <> all (backends_only)
        ) a where p.oid = made_from
    loop
        called := format('%s(%L, %s)', made_from, one.call, format(one.passed, one.call));
        execute format('create function %s(%s) returns %s security definer set search_path = pg_catalog, pg_temp language %s',
            one.call, one.declared, pg_get_function_result(made_from), case
            -- PL/pgSQL keeps its plans, but RETURN QUERY would show its whole statement in an error's context.
            when one.proretset then format('sql as %L', format(one.check_first, 'select', one.call) || 'select * from ' || called)
            else format('plpgsql as %L', format('begin %sreturn %s; end', format(one.check_first, 'perform', one.call), called)) end);
        execute format('comment on function %s is %L', one.call, format(what, one.whose));
        perform nudged.allow(one.roles, 'execute', one.call);
    end loop;
end $$;

-- The functions that read or write the app's tables by name run as nudged_writer, also on the app's view nudged.device.
select nudged.allow('nudged_writer', 'select, insert, update, delete', 'public.push_tokens') where to_regclass('public.push_tokens') is not null;
select nudged.allow('nudged_writer', 'select, update, delete', 'nudged.device')
from pg_proc p
where p.oid = to_regproc('nudged.forget_device') and p.prosqlbody is not null and pg_relation_is_updatable('nudged.device', true) & 16 = 16;
select nudged.allow('nudged_writer', 'own',
    'nudged.forget_device', 'nudged.move_device', 'nudged.write_device', 'nudged.remove_device', 'nudged.drop_devices', 'nudged.devices_left_out');

-- Backends: nudged_app, and on Supabase service_role. cancel_subject_reminders is for a trigger on a table of the app.
select nudged.allow('nudged_app, service_role', 'execute',
    'nudged_api.send', 'nudged_api.send_many(jsonb)',
    'nudged_api.send_many(uuid[], text, text, jsonb, boolean, text, text, text, timestamptz, text, jsonb, timestamptz, timestamp, jsonb)',
    'nudged_api.touch', 'nudged_api.forget', 'nudged_api.cancel_subject_reminders');
select nudged.make_calls('cancel_messages', 'nudged.cancel_messages', true,
    'Cancels messages that wait for %s: by category, thread, the beginning of their dedupe_key, or all. A backend may leave out the user, and give the title or the time as well. At most 10,000 per call: call it again until done is 0. too_late counts those that were on their way.',
    'title', 'sent_after', 'sent_before');
select nudged.make_calls('set_reminder', 'nudged.set_reminder', true,
    'Sets a reminder of %s, and replaces the one that they have for this subject. Returns its id and warnings.', 'audience');
select nudged.make_calls('register_device', 'nudged.register', true, 'Registers a device of %s. The app or its backend calls it at each start of the app.');
select nudged.make_calls('unregister_device', 'nudged.unregister', true, 'Removes a device of %s. done is 0 if it was not theirs.');
select nudged.make_calls('snooze_reminder', 'nudged.snooze', true,
    'Moves what is pending of a reminder for %s to "until"; a backend gives null for all users. done: nothing of it comes before.');
select nudged.make_calls('opened', 'nudged.note_opened', true, 'Says that %s has opened a nudge: id is the payload''s "nudge". done: 1 if it is noted, for the first time.');
select nudged.make_calls('feedback', 'nudged.note_feedback', true, 'Says whether %s found a nudge helpful: id is the payload''s "nudge". The last word counts. done: 1 if it is noted.');
select nudged.grant_roles();

comment on table nudged.migration is 'The migrations that were applied. "nudged migrate" writes it.';
comment on table nudged.role_right is 'Which role has which right. nudged.allow writes it; nudged.grant_roles grants all of it again.';
comment on function nudged.allow is 'Grants a role rights on an object, and remembers them for roles and databases to come.';
comment on function nudged.grant_roles is 'Gives each role exactly its rights: after a role was made by hand, after a restore, after a view was made again, after a broad grant.';
comment on table nudged.own_call is 'How many calls a signed-in user has made that write something, in the last hour and day.';
select nudged.describe('nudged.excess_right', 'Rights in nudged''s schemas and tables that a broad grant gave. select nudged.grant_roles() takes them back.',
    'role', 'The role that has them. public: every role.',
    'object', 'The schema, table, view or function, or what will be made later (default privileges).', 'privileges', 'The rights that are too many.',
    'statement', 'The statement that takes them back.');
comment on function nudged.write_device is 'Writes a device''s row in public.push_tokens. Redefine it if the devices are in another table.';
comment on function nudged.remove_device is 'Deletes a device''s row of public.push_tokens. Redefine it if the devices are in another table.';
