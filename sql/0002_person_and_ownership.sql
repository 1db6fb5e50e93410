-- Users and when they are due, changes that wait to be drained, and which daemon may work on which users.

-- One narrow row per user. The daemon reads the users who are due in its ranges, and updates a row once per nudge.
create table nudged.person (
    user_id uuid primary key,
    -- A settlement is of one turn, and raises it. So one that is repeated, or late, changes nothing. A turn begins
    -- with the seconds since 2023-11-14, so that a user who comes back after an erasure has no turn of before.
    turn integer not null default extract(epoch from statement_timestamp())::bigint - 1700000000,
    -- The upper 32 bits count changes, the lower 32 arrivals since then (something new to send).
    version bigint not null default 1,
    due_at timestamptz not null, evaluated_at timestamptz, since timestamptz, touched_at timestamptz,
    reason text check (octet_length(reason) <= 64),
    retry jsonb, quarantine jsonb, analysed timestamptz[], ignored smallint not null default 0,
    state bytea check (octet_length(state) <= 1048576)
) with (
    -- With 50, a burst's new versions fit beside the old ones, and the table is a fifth smaller. But nearly each visit
    -- of a page cleans it, so from the second day on a burst's updates take a fifth longer than with 70.
    fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000, autovacuum_analyze_scale_factor = 0.05
);
-- A claim reads ranges of the hash of user_id. Citus divides the same hash: a range is in one shard (of up to 64).
create index person_due on nudged.person ((uuid_hash(user_id) >> 26), due_at, user_id);

create table nudged.seen (
    user_id uuid primary key, at timestamptz not null
    -- A row's next versions stay on its page, so that an update touches no index.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create table nudged.surface (
    user_id uuid not null, surface text not null check (octet_length(surface) <= 255), token text not null check (octet_length(token) <= 255),
    registered_at timestamptz not null default clock_timestamp(),
    environment text check (octet_length(environment) <= 16), topic text check (octet_length(topic) <= 155),
    primary key (user_id, surface, token)
);
-- nudged.write_surface finds a token's former user by it.
create index surface_token on nudged.surface (token);

-- Changes that wait to be drained. Rows are never updated, so an app's transaction never waits for the daemon.
create table nudged.touched (
    user_id uuid not null, id bigint generated always as identity,
    at timestamptz not null default clock_timestamp(),
    urgent boolean not null default false,
    -- Something new is to be sent, and nothing changed that a decision depends on. It stops no push.
    arrival boolean not null default false,
    primary key (user_id, id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
create index touched_oldest on nudged.touched (id) where not urgent;
create index touched_urgent on nudged.touched (id) where urgent;

create table nudged.member (id uuid primary key, daemon_id uuid not null, joined_at timestamptz not null default now());

-- Until when each membership lasts without a renewal. It is a separate table, since rows of nudged.member are never
-- updated. A join that takes effect late inserts rows of its own, which expire.
create table nudged.lease (
    member uuid primary key references nudged.member on delete cascade, alive_until timestamptz not null
    -- A row's next versions stay on its page, so that a renewal is a HOT update, and the next one cleans a full page.
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 200);

-- The 64 ranges of the hash of user_id: `uuid_hash(user_id) >> 26`.
create table nudged.range (id smallint primary key check (id between -32 and 31), owner uuid references nudged.member on delete set null);
create index range_owner on nudged.range (owner);
insert into nudged.range (id) select generate_series(-32, 31);

create table nudged.daemon (
    daemon_id uuid primary key, host text not null check (octet_length(host) <= 1024), pid integer not null,
    version text not null check (octet_length(version) <= 256),
    -- Times are this database's: a daemon on a host with a wrong clock looks no more alive than it is.
    started_at timestamptz not null, seen_at timestamptz not null,
    state jsonb not null check (pg_column_size(state) <= 1048576)
    -- As in nudged.lease.
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 200);

-- Pushes about to be written to Apple: durable before the first byte. A row per slice, an element per user.
create table nudged.intent (
    id uuid primary key, member uuid references nudged.member on delete set null, sweep_id uuid not null,
    attempted_at timestamptz not null check (attempted_at between '1970-01-01 00:00:00Z' and '9999-12-31 00:00:00Z'),
    -- The contents are records of Change.swift.
    user_ids uuid[] not null, turns integer[] not null, contents bytea[] not null, message_ids uuid[] not null default '{}',
    open integer not null, withdrawn_until timestamptz,
    check (cardinality(turns) = cardinality(user_ids) and cardinality(contents) = cardinality(user_ids)),
    check (array_position(user_ids, null) is null and array_position(turns, null) is null)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);
create index intent_member on nudged.intent (member);
-- Ids don't get smaller. The contents do, and lz4 takes a fifth of the time.
alter table nudged.intent alter column user_ids set storage external;
do $$ begin
    alter table nudged.intent alter column contents set compression lz4;
exception when feature_not_supported then null;
end $$;

-- Which of these messages and reminders are on their way: in an intent that is open for their user. Parallel lists.
create function nudged.on_their_way(recipients uuid[], ids uuid[]) returns setof uuid language sql stable set search_path = pg_catalog, pg_temp as $$
    with sent as materialized (select i.id as intent, m.id from nudged.intent i cross join lateral unnest(i.message_ids) as m (id) where m.id = any (ids))
    select w.id
    from unnest(recipients, ids) as w (user_id, id)
    join sent s on s.id = w.id join nudged.intent i on i.id = s.intent
    cross join lateral unnest(i.user_ids, i.turns) as o (user_id, turn)
    join nudged.person p on p.user_id = o.user_id and p.turn <= o.turn where o.user_id = w.user_id
$$;

create table nudged.setting (
    is_only boolean primary key default true check (is_only),
    max_devices integer not null default 100 check (max_devices between 1 and 10000),
    max_reminders integer not null default 1000 check (max_reminders between 1 and 1000000),
    max_messages integer not null default 2000 check (max_messages between 1 and 1000000),
    max_calls_per_hour integer not null default 500 check (max_calls_per_hour between 1 and 1000000),
    max_calls_per_day integer not null default 2000 check (max_calls_per_day between 1 and 1000000),
    retention_days integer not null default 90 check (retention_days between 1 and 36500),
    allow_critical boolean not null default false
);
insert into nudged.setting default values;

-- Locks that only nudged's functions can take. The row is inserted and deleted in one transaction: a second one with
-- this id waits for its end. Any role could hold an advisory lock.
create unlogged table nudged.lock (id bigint primary key);

create function nudged.hold(name text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
declare held constant bigint := hashtextextended(hold.name, 0);
begin
    insert into nudged.lock (id) values (held);
    delete from nudged.lock where id = held;
end $$;

-- Locks a membership until the commit, so that it can't end before. Drains, settlements, postponements and the decision
-- service's count begin with it. Recovery, quarantine and fan-outs need no fence.
create function nudged.hold_member(member uuid) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    perform 1 from nudged.member m where m.id = hold_member.member for key share;
    if not found then
        raise exception using errcode = 'ND020', message = 'membership has ended', hint = 'Nothing was written. The daemon joins again by itself.';
    end if;
end $$;

create function nudged_api.touch(user_id uuid) returns nudged.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin
    perform nudged.require_backend('nudged_api.touch');
    if nudged.refuse('nudged_api.touch', case when touch.user_id is null then array['user_id is null', 'Name the user whose data changed.'] end) then end if;
    insert into nudged.touched (user_id) values (touch.user_id);
    return nudged.result_of();
end $$;

-- Notes that the app sees a user. Who ignored check-ins before becomes due, since they may come more often now.
-- always: also if the last note is younger than a minute, since a check-in may have come after it.
create function nudged.note_seen(recipient uuid, always boolean default false) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    instant constant timestamptz := clock_timestamp();
    last timestamptz;
begin
    select s.at into last from nudged.seen s where s.user_id = recipient;
    -- The clock may have been wrong, so an instant ahead is replaced.
    if not always and last > instant - interval '1 minute' and last <= instant + interval '1 minute' then
        return nudged.result_of(done => 0);
    elsif last is null then
        insert into nudged.seen (user_id, at) values (recipient, instant) on conflict do nothing;
    else
        -- A session that holds the row notes the same.
        update nudged.seen set at = instant where user_id in (select s.user_id from nudged.seen s where s.user_id = recipient for update skip locked);
    end if;
    if not found then return nudged.result_of(done => 0); end if;
    if exists (select from nudged.person p where p.user_id = recipient and p.ignored > 0) then
        insert into nudged.touched (user_id) values (recipient);
    end if;
    return nudged.result_of();
end $$;

create function nudged.see(call text, recipient uuid) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    if nudged.refuse(call, case when recipient is null then array['user_id is null', 'Name the user whom the app sees.'] end) then end if;
    return nudged.note_seen(recipient);
end $$;

-- The triggers on the app's tables. They run once per statement and append one touch per user.
-- A block of its own finds the users whose data changed. If it fails (a column was dropped), all users of the statement
-- are touched. So the app's statement doesn't fail there. The block writes nothing, so it takes no subtransaction id. An
-- insert or update that is cancelled stays cancelled, since `others` does not catch that.

-- Whether a value has changed, byte for byte: json has no equality, and a collation of the app may call texts equal that
-- mean different things here, such as europe/berlin and Europe/Berlin.
create function nudged.differs(before anyelement, after anyelement) returns boolean
language sql immutable parallel safe as $$ select pg_catalog.record_image_ne(row(before), row(after)) $$;

-- A user's id from a row of the app. The triggers run with their owner's rights, and the table's owner can give the
-- column another type, with casts that run a function of theirs. So the value is read as its type writes it.
create function nudged.written_id(value anyelement) returns uuid language sql stable parallel safe
as $$ select case when value is not null then pg_catalog.format('%s', value)::pg_catalog.uuid end $$;

-- Appends a touch for each of these users. It has no handler and so no subtransaction: more than 64 of them in one
-- transaction slow down every session's snapshots. An error here (a lock, a full disk) fails the app's insert or update,
-- which can be repeated. A lost touch would be a lost change.
create function nudged.append_touches(users uuid[]) returns void language plpgsql as $$ begin
    if users is null or users = '{}' then
        return;
    elsif to_regclass('nudged.touched') is null then
        raise warning 'nudged.touched is missing: this change counts when its users are next due';
    else
        insert into nudged.touched (user_id) select u from unnest(users) as u where u is not null;
    end if;
end $$;

-- After an insert or a delete. A deletion neither waits nor fails because of nudged: without its touch, a push that was
-- decided on before can still be sent, and the user is evaluated when they are next due. So it writes in a subtransaction.
create function nudged.touch_changed() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin
    if tg_op = 'DELETE' then
        begin
            lock table nudged.touched in row exclusive mode nowait;
            perform nudged.append_touches(array(select distinct nudged.written_id(c.user_id) from changed c));
        exception when others or assert_failure or query_canceled then
            raise warning 'nudged: the users of a deletion could not be made due (SQLSTATE %). They are evaluated when they are next due. To evaluate them now: nudged_api.touch for each', sqlstate;
        end;
    else
        perform nudged.append_touches(array(select distinct nudged.written_id(c.user_id) from changed c));
    end if;
    return null;
end $$;

-- After an update of the profiles. Rows are paired by position. If all pairs are equal, nothing has changed.
create function nudged.touch_profiles() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare users uuid[];
begin
    begin
        select array_agg(distinct u.user_id) into users from (select *, row_number() over () as place from old_rows) o
        full join (select *, row_number() over () as place from new_rows) n using (place)
        cross join lateral (values (nudged.written_id(o.user_id)), (nudged.written_id(n.user_id))) as u (user_id)
        where nudged.differs(o.user_id, n.user_id) or nudged.differs(o.notification_preferences, n.notification_preferences)
          or nudged.differs(o.timezone, n.timezone) or nudged.differs(o.first_session_complete, n.first_session_complete);
    exception when others then
        users := array(select nudged.written_id(o.user_id) from old_rows o union select nudged.written_id(n.user_id) from new_rows n);
    end;
    perform nudged.append_touches(users);
    return null;
end $$;

-- After an update of the devices. Registering again changes nothing for the policy, unless a device is in quarantine.
create function nudged.touch_devices() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare users uuid[]; registered uuid[];
begin
    begin
        select array_agg(distinct u.user_id) filter (where u.is_changed), array_agg(distinct u.user_id) filter (where not u.is_changed)
        into users, registered
        from (select *, row_number() over () as place from old_rows) o
        full join (select *, row_number() over () as place from new_rows) n using (place)
        cross join lateral (
            select
                nudged.differs(o.user_id, n.user_id) or nudged.differs(o.device_token, n.device_token) or nudged.differs(o.platform, n.platform)
                or nudged.differs(o.environment, n.environment) or nudged.differs(o.topic, n.topic) as is_changed
        ) c
        cross join lateral (values (nudged.written_id(o.user_id), c.is_changed), (nudged.written_id(n.user_id), c.is_changed)) as u (user_id, is_changed)
        where c.is_changed or nudged.differs(o.updated_at, n.updated_at) or nudged.differs(o.created_at, n.created_at);
    exception when others then
        users := array(select nudged.written_id(o.user_id) from old_rows o union select nudged.written_id(n.user_id) from new_rows n);
    end;
    if registered is not null then
        users := users || array(
            select p.user_id from nudged.person p where p.user_id = any (registered) and p.user_id <> all (coalesce(users, '{}')) and p.quarantine is not null
        );
    end if;
    perform nudged.append_touches(users);
    return null;
end $$;

-- After an insert into the table that nudged created: deletes the oldest registrations of a user with more than
-- `max_devices`. Refusing the new one instead would leave the phone that is in use without pushes.
create function nudged.drop_oldest_devices() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare most constant integer := coalesce((select s.max_devices from nudged.setting s), 100);
begin
    perform nudged.drop_devices(u, most) from unnest(array(select distinct nudged.written_id(a.user_id) from added a)) as u;
    return null;
end $$;

-- Deletes a user's devices except the `most` newest. Only nudged_writer reads the table by name: it may be a view now.
create function nudged.drop_devices(recipient uuid, most integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = on as $$ begin
    -- Most users have fewer. The deletion below sorts and locks all of a user's devices.
    if (select count(*) from (select 1 from public.push_tokens t where t.user_id = recipient limit most + 1) as first) <= most then return; end if;
    -- A locked row is left, so nobody waits.
    delete from public.push_tokens t
    where t.user_id = recipient and t.id = any (array(
        select o.id from public.push_tokens o where o.user_id = recipient
        order by greatest(o.created_at, o.updated_at) desc nulls last, o.id offset most for update skip locked
    ));
end $$;

-- Trigger on public.push_tokens, if nudged created it: an upsert that presents a token again renews the registration.
-- A statement that sets updated_at itself keeps its value.
create function nudged.renew_registration() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    if new.updated_at is not distinct from old.updated_at then new.updated_at := clock_timestamp(); end if;
    return new;
end $$;

-- The triggers that the app's tables should have: the statement that makes each, what happens without it, and
-- pg_trigger.tgenabled (null: it is missing). If Citus has distributed one of the app's tables, its triggers would run
-- on machines where nudged's own tables are not written. So it gets none, and the app calls nudged_api.touch. The same
-- holds where the app's own views read other tables.
create function nudged.wanted_triggers() returns table (oid oid, relation text, name text, statement text, loss text, enabled "char")
language plpgsql stable set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    wanted record;
    is_distributed boolean := false;
begin
    for wanted in
        -- Tables are found by name: to_regclass fails without a right on schema auth.
        select c.oid, format('%s.%s', n.nspname, c.relname) as relation, v.name, t.tgenabled,
            format('create trigger %I %s on %s %s execute function nudged.%I()', v.name, v.event, c.oid::regclass,
                case when v.rows is null then 'for each row' else format('referencing %s for each statement', v.rows) end, v.call) as statement
        from (values
            ('nudged.recipient', 'context_profiles', 'nudged_profile_inserted', 'after insert', 'new table as changed', 'touch_changed'),
            ('nudged.recipient', 'context_profiles', 'nudged_profile_updated', 'after update', 'old table as old_rows new table as new_rows', 'touch_profiles'),
            ('nudged.recipient', 'context_profiles', 'nudged_profile_deleted', 'after delete', 'old table as changed', 'touch_changed'),
            ('nudged.device', 'push_tokens', 'nudged_device_inserted', 'after insert', 'new table as changed', 'touch_changed'),
            ('nudged.device', 'push_tokens', 'nudged_device_updated', 'after update', 'old table as old_rows new table as new_rows', 'touch_devices'),
            ('nudged.device', 'push_tokens', 'nudged_device_deleted', 'after delete', 'old table as changed', 'touch_changed'),
            ('nudged.device', 'push_tokens', 'nudged_device_limit', 'after insert', 'new table as added', 'drop_oldest_devices'),
            -- Not for the other columns: nudged writes the environment (nudged.move_device), and an operator may write
            -- the topic of all devices. Neither is a registration.
            ('nudged.device', 'push_tokens', 'nudged_device_renewed', 'before update of user_id, device_token, platform', null, 'renew_registration'),
            (null, 'users', 'nudged_user_deleted', 'after delete', 'old table as gone', 'note_deleted_users')
        ) as v (view, relation, name, event, rows, call)
        join pg_namespace n on n.nspname = case when v.view is null then 'auth' else 'public' end
        join pg_class c on c.relnamespace = n.oid and c.relname = v.relation
        left join pg_trigger t on t.tgrelid = c.oid and t.tgname = v.name
        where to_regproc('nudged.' || v.call) is not null
          and (v.call not in ('drop_oldest_devices', 'renew_registration') or exists (select from nudged.own_table o where o.name = 'push_tokens'))
          and case when v.view is null then c.relkind = 'r' and exists (
              select from pg_attribute a where a.attrelid = c.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype and not a.attisdropped
          ) else exists (
              select from pg_rewrite w
              join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
              join pg_attribute a on a.attrelid = d.refobjid and a.attname = 'user_id'
              join pg_type y on y.oid = a.atttypid and 'uuid'::regtype in (y.oid, y.typbasetype)
              where w.ev_class = to_regclass(v.view) and d.refobjid = c.oid
          ) end
    loop
        if exists (select from pg_extension where extname = 'citus') then
            execute 'select exists (select from pg_dist_partition where logicalrelid = $1)' into is_distributed using wanted.oid;
        end if;
        continue when is_distributed;
        return query select wanted.oid, wanted.relation, wanted.name, wanted.statement,
            case wanted.relation when 'auth.users' then 'users who are deleted there stay in nudged'
                else 'changes of that table count only when the user is next evaluated' end,
            wanted.tgenabled;
    end loop;
end $$;

-- Makes or enables each of these triggers that does not fire, and drops those on other tables. Returns what it did. A
-- trigger that another role must make or drop is named in a notice, if nudged works without.
create function nudged.bind_triggers() returns setof text language plpgsql set search_path = pg_catalog, pg_temp as $$
declare one record;
begin
    -- First, since a partition gets the triggers of its table.
    for one in
        select w.name, t.tgrelid::regclass as relation from nudged.wanted_triggers() w
        join pg_trigger t on t.tgname = w.name and t.tgrelid <> w.oid and not t.tgisinternal and t.tgparentid = 0
        join pg_proc p on p.oid = t.tgfoid and p.pronamespace = 'nudged'::regnamespace
    loop
        begin
            execute format('drop trigger %I on %s', one.name, one.relation);
        exception when insufficient_privilege then
            raise notice '% may not drop trigger % on %: its owner can', current_user, one.name, one.relation;
            continue;
        end;
        return next format('%s is dropped on %s', one.name, one.relation);
    end loop;
    for one in select w.* from nudged.wanted_triggers() w where w.enabled is null or w.enabled not in ('O', 'A') loop
        begin
            execute case when one.enabled is null then one.statement else format('alter table %s enable trigger %I', one.relation, one.name) end;
        exception when insufficient_privilege then
            if one.relation <> 'auth.users' then raise; end if;
            raise notice '% may not make a trigger on auth.users, so nudged keeps deleted users: call nudged_api.forget for each. Or, as the owner of auth.users: grant trigger on auth.users to %, then select nudged.watch_deleted_users()',
                current_user, current_user;
            continue;
        end;
        return next format('%s fires on %s', one.name, one.relation);
    end loop;
end $$;

select nudged.bind_triggers();

-- A user's quarantine after new entries: the new ones, then the newest hundred of other devices and environments. An
-- entry without a state is a quarantine; the states are those of Device.swift. Two kinds of new entries
-- change nothing: any for a device that has moved, and a suspicion about a registration that has an entry. It is
-- immutable, since an UPDATE across shards takes no other function.
create function nudged.merged_quarantine(known jsonb, entries jsonb) returns jsonb
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
    with before as materialized (
        select o.entry, o.place, o.entry ->> 'device' as device, o.entry ->> 'environment' as environment, o.entry ->> 'topic' as topic
        from jsonb_array_elements(case when jsonb_typeof(known) = 'array' then known end) with ordinality as o (entry, place)
    ),
    fresh as materialized (
        select n.entry, n.place, n.entry ->> 'device' as device, n.entry ->> 'environment' as environment, n.entry ->> 'topic' as topic
        from jsonb_array_elements(entries) with ordinality as n (entry, place)
        where not exists (
            select from before o
            where o.device = n.entry ->> 'device' and o.environment = n.entry ->> 'environment' and o.topic = n.entry ->> 'topic'
              and (o.entry ->> 'state' is not distinct from 'moved' or n.entry ->> 'state' is not distinct from 'suspected'
                  and o.entry ->> 'registered_at' is not distinct from n.entry ->> 'registered_at')
        )
    ),
    kept as materialized (
        select o.entry, o.place from before o
        where not exists (select from fresh n where n.device = o.device and n.environment = o.environment and n.topic = o.topic)
        order by o.place limit 100
    )
    select coalesce((select jsonb_agg(n.entry order by n.place) from fresh n), '[]') || coalesce((select jsonb_agg(k.entry order by k.place) from kept k), '[]')
$$;

-- Makes the view of quarantined devices, if it is missing. It goes with a view nudged.device that is dropped (cascade).
create function nudged.make_quarantined() returns void language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    if to_regclass('nudged.quarantined') is not null then return; end if;
    -- For people. A malformed value in one row doesn't break the other rows.
    create view nudged.quarantined with (security_barrier) as
    select
        p.user_id, q ->> 'device' as device_hash, q ->> 'environment' as environment, q ->> 'topic' as topic, q ->> 'reason' as reason,
        q ->> 'at' as at
    from nudged.person p cross join lateral jsonb_array_elements(case when jsonb_typeof(p.quarantine) = 'array' then p.quarantine else '[]' end) as q
    -- An entry with a state is no quarantine (nudged.merged_quarantine).
    where q ->> 'state' is null and exists (
        select from nudged.device d
        where d.user_id = p.user_id
          and left(encode(sha256(convert_to(lower(left(d.token::text, 512) collate "C"), 'UTF8')), 'hex'), 16) = q ->> 'device'
          and coalesce(nudged.apns_environment(left(d.environment::text, 256)), q ->> 'environment') = q ->> 'environment'
          and lower(coalesce(nullif(btrim(left(d.topic::text, 256)), ''), q ->> 'topic') collate "C") = lower(q ->> 'topic' collate "C")
          and (case when d.registered_at between '0001-01-01' and '9999-12-31'
              then (extract(epoch from d.registered_at::timestamptz) * 1000000)::bigint end)::text is not distinct from q ->> 'registered_at'
    );
end $$;
select nudged.make_quarantined();

-- Every migration that makes tables calls it. Gives them row-level security. Where the citus extension exists, it
-- distributes those about users by user_id, and returns them. Members, leases, ranges, daemons and intents are left.
create function nudged.finish_tables() returns setof text language plpgsql as $$
declare wanted record;
begin
    for wanted in select c.oid from pg_class c where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity loop
        execute format('alter table %s enable row level security', wanted.oid::regclass);
    end loop;
    if not exists (select 1 from pg_extension where extname = 'citus') then return; end if;
    for wanted in
        select c.oid, c.relname from pg_class c
        where c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped)
          and not exists (select 1 from pg_dist_partition d where d.logicalrelid = c.oid)
        -- nudged.person first, since the others are colocated with it.
        order by c.relname <> 'person', c.relname
    loop
        execute format('select create_distributed_table(%L, ''user_id'', colocate_with => %L)', wanted.oid::regclass,
            case when wanted.relname = 'person' then 'default' else 'nudged.person' end);
        return next wanted.relname;
    end loop;
end $$;

select nudged.finish_tables();

-- Makes every user of the app due now. The policy's clock counts whole seconds.
insert into nudged.person (user_id, due_at)
select distinct user_id, date_trunc('second', now()) from nudged.recipient;

select nudged.describe('nudged.person', 'One row per user: when they are due, and the history that the policy reads. The daemon writes it; people read it.',
    'turn', 'Rises with each settlement, so that each is made once.',
    'version', 'Rises with every change and arrival that the daemon has taken. The upper 32 bits count changes. On another version a settlement leaves due_at as it is.',
    'due_at', 'The earliest time at which the policy''s answer can change. The daemon evaluates the user then. 1970: an urgent message waits.',
    'touched_at', 'When the newest change was made that no decision has seen. Null: none.',
    'since', 'When check-ins last became possible for this user, or were last rescheduled (docs/POLICY-SPEC.md).',
    'evaluated_at', 'When the policy was last evaluated for the user. Check-ins that are missed after it are recorded as skipped.',
    'retry', 'What is left of nudges that not all devices have got yet, as JSON. Null: nothing.',
    'quarantine', 'What Apple''s answers say about devices: those that get nothing until they register again, and those that work in the other environment, as JSON. Read the former with nudged.quarantined.',
    'analysed', 'When the decision service was asked about this user: at most the last 20 times of the last hour. Null: never.',
    'state', 'The history that the policy reads, for the daemon. "nudged explain" shows it.',
    'ignored', 'Check-ins that counted as sent since the app last saw the user. 0 without policy.backOffAfter.');
comment on table nudged.touched is 'Changes that wait to be drained. Triggers and functions insert rows; the daemon deletes them within a second or so.';
comment on table nudged.member is 'The daemons that share the work now. A row is inserted when a daemon joins, and deleted when it leaves or is declared dead. Deleting a row by hand declares that daemon dead.';
comment on table nudged.lease is 'Until when each membership lasts. A daemon renews its row every few seconds. If it doesn''t, another daemon declares it dead.';
comment on table nudged.range is 'The 64 ranges of users, by the hash of the user''s id. Only the owner of a range works on its users.';
comment on table nudged.daemon is 'One row per daemon of the last day: what it says about itself. The daemon writes it; "nudged status" shows it.';
select nudged.describe('nudged.intent', 'Pushes that are about to be written to Apple. One row per slice, with parallel arrays: one element per user. The daemon inserts and deletes it. A row that a dead daemon leaves behind is recorded as unknown.',
    'id', 'Identifies the intent.',
    'member', 'The member that writes these pushes. Null: the member has ended, and any daemon records the open pushes as unknown.',
    'sweep_id', 'The sweep that planned them.', 'attempted_at', 'The time of these attempts in nudged.delivery.',
    'user_ids', 'The users who get these pushes.', 'turns', 'The turns of these users. A user of another turn is settled.',
    'contents', 'What is recorded for each user if the outcomes stay unknown, for the daemon. "nudged explain" shows it.',
    'message_ids', 'The messages and reminders in these pushes.', 'open', 'How many of these users are not settled yet.',
    'withdrawn_until', 'Not null: the intent was withdrawn. The row is empty, and makes a late commit of the intent fail until this time.');
select nudged.describe('nudged.setting', 'One row: limits per user, and how long the record is kept. Change it with "update nudged.setting set ...". A change takes effect at once.',
    'is_only', 'Always true: keeps the table at one row.',
    'max_devices', 'Most devices of a user in a table public.push_tokens that nudged created. A new device replaces the one that registered longest ago.',
    'max_reminders', 'Most pending reminders that a user has set. nudged_api.set_reminder refuses more.',
    'allow_critical', 'Whether calls may ask for critical alerts, which need an entitlement of Apple''s.',
    'max_messages', 'Most messages that wait for a user. nudged_api.send refuses more; nudged_api.send_many records more as dropped.',
    'max_calls_per_hour', 'Most calls of a signed-in user in an hour that write something. Others are refused.',
    'max_calls_per_day', 'Most calls of a signed-in user in a day that write something. Others are refused.',
    'retention_days', 'How many days of nudged.delivery are kept. Older days are dropped.');
select nudged.describe('nudged.quarantined', 'Devices that get nothing in an environment, since Apple refuses their tokens there. A device leaves the view by registering again, or when it turns out to work in the other environment.',
    'environment', 'The APNs environment in which Apple refuses the token.', 'topic', 'The APNs topic for which Apple refuses the token.',
    'reason', 'Apple''s reason.', 'at', 'When the device was put into quarantine.');
comment on table nudged.lock is 'Locks of nudged''s functions. It looks empty: each row is inserted and deleted in one transaction.';
select nudged.describe('nudged.seen', 'When the app last saw each user. nudged_api.seen, nudged_me.seen and an opened nudge write it, at most once a minute.',
    'at', 'When the app last saw the user.');
select nudged.describe('nudged.surface', 'Tokens of Live Activities, widgets and controls. The app registers them by nudged_me.register_device.',
    'user_id', 'The user who was signed in when the app registered the token.',
    'surface', 'widgets, controls, start: and a Swift type (starts such activities), or activity: and the app''s name of a running one.');
comment on function nudged_api.touch is 'Says that something about this user changed that nudged''s triggers don''t see. The next sweep evaluates the user.';
