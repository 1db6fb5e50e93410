-- Users and when they are due, changes that wait to be seen, and which daemon may work on which users.

-- One narrow row per user. The daemon reads who is due in its ranges, and updates the row once per nudge.
create table nudged.person (
    user_id uuid primary key,
    -- Raised by every drained touch. The upper 32 bits count changes: a decision that was made on another number is not carried out. The lower 32 count
    -- what came to be sent since, from 0 again with each change.
    version bigint not null default 1,
    due_at timestamptz not null,
    touched_at timestamptz,
    since timestamptz,
    fingerprint bigint,
    asked_at timestamptz,
    -- The history that the policy reads. check_in_at and check_in_slot are parallel.
    check_in_at timestamptz[] not null default '{}',
    check_in_slot date[] not null default '{}',
    closed date[] not null default '{}',
    sent timestamptz[] not null default '{}',
    retry jsonb,
    quarantine jsonb,
    analysed timestamptz[],
    template integer
) with (
    -- Half a page stays free: a burst writes one new version of each of a page's users, and they fit beside the old ones. Measured from 45 to 100: here the
    -- table stays smallest (32 MB for 60,000 users, up to 40 MB otherwise), and a nudge writes least WAL.
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05
);
-- A claim reads ranges of the hash of user_id. Citus cuts the same hash, so a range lies in one shard (with up to 64 shards, a power of two).
create index person_due on nudged.person ((uuid_hash(user_id) >> 26), due_at, user_id);

-- Changes that wait to be seen. Rows are only inserted and deleted: an app's transaction never waits for the daemon here.
create table nudged.touched (
    user_id uuid not null,
    id bigint generated always as identity,
    at timestamptz not null default clock_timestamp(),
    urgent boolean not null default false,
    -- Something came to be sent, and nothing changed that a decision was made on: it stops no push that is on its way.
    arrival boolean not null default false,
    primary key (user_id, id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
create index touched_oldest on nudged.touched (id) where not urgent;
create index touched_urgent on nudged.touched (id) where urgent;

-- One row per membership of a daemon in the group that shares the work. It is inserted when the daemon joins, deleted when it leaves or is declared dead,
-- and never updated.
create table nudged.member (
    id uuid primary key,
    daemon_id uuid not null,
    joined_at timestamptz not null default now()
);

-- Until when each membership lasts without a renewal. Beside nudged.member, whose rows are never updated. A join that takes effect late makes rows of its
-- own, which expire.
create table nudged.lease (
    member uuid primary key references nudged.member on delete cascade,
    alive_until timestamptz not null
) with (
    -- A row's next versions stay on its page, so that a renewal is a HOT update, and the next one cleans a full page.
    fillfactor = 20,
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 200
);

-- The 64 ranges of the hash of user_id: `uuid_hash(user_id) >> 26`.
create table nudged.range (
    id smallint primary key check (id between -32 and 31),
    owner uuid references nudged.member on delete set null
);
create index range_owner on nudged.range (owner);
insert into nudged.range (id) select generate_series(-32, 31);

-- One row per daemon: what it says of itself.
create table nudged.daemon (
    daemon_id uuid primary key,
    host text not null check (octet_length(host) <= 1024),
    pid integer not null,
    version text not null check (octet_length(version) <= 256),
    -- Times are this database's: a host with a wrong clock looks no more alive than it is.
    started_at timestamptz not null,
    seen_at timestamptz not null,
    state jsonb not null check (pg_column_size(state) <= 1048576)
) with (
    -- As in nudged.lease.
    fillfactor = 20,
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 200
);

-- Pushes about to be written to Apple: durable before the first byte. One row per slice, parallel arrays, one element per push and message.
create table nudged.intent (
    id uuid primary key,
    member uuid references nudged.member on delete set null,
    sweep_id uuid not null,
    attempted_at timestamptz not null,
    user_ids uuid[] not null,
    kinds text[] not null,
    keys text[] not null,
    slots date[] not null,
    device_hashes text[] not null,
    apns_ids uuid[] not null,
    retries text[] not null,
    counted boolean[] not null,
    nudges smallint[] not null,
    ends boolean[] not null,
    templates integer[] not null,
    records jsonb,
    settled uuid[] not null default '{}',
    withdrawn_until timestamptz
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);
create index intent_member on nudged.intent (member);

-- One row: limits that an operator may change.
create table nudged.setting (
    is_only boolean primary key default true check (is_only),
    max_devices integer not null default 100 check (max_devices between 1 and 10000),
    max_reminders integer not null default 1000 check (max_reminders between 1 and 1000000),
    max_messages integer not null default 2000 check (max_messages between 1 and 1000000)
);
insert into nudged.setting default values;

alter table nudged.person enable row level security;
alter table nudged.touched enable row level security;
alter table nudged.member enable row level security;
alter table nudged.lease enable row level security;
alter table nudged.range enable row level security;
alter table nudged.daemon enable row level security;
alter table nudged.intent enable row level security;
alter table nudged.setting enable row level security;

-- Drains, settlements, postponements and the decision service's count begin with it. Recovery, quarantine and fan-outs need no fence. The lock lasts until the
-- commit, so the membership can't end before.
create function nudged.hold_member(member uuid) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
    perform 1 from nudged.member m where m.id = hold_member.member for key share;
    if not found then
        raise exception using errcode = 'ND020', message = 'membership has ended',
            hint = 'Nothing was written. The daemon joins again by itself.';
    end if;
end
$$;

create function nudged.touch(user_id uuid) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if touch.user_id is null then
        raise invalid_parameter_value using message = 'nudged.touch: user_id is null', hint = 'Name the user of whom something changed.';
    end if;
    insert into nudged.touched (user_id) values (touch.user_id);
end
$$;

-- The triggers on the app's tables. They run once per statement, write one touch per user, and don't fail the app's statement.
--
-- Which users changed is read in a block of its own. Where that fails (a column was dropped, a type has no equality), all users of the statement are touched.
-- The block writes nothing, so it takes no subtransaction id. A cancelled statement stays cancelled: no handler catches that.

-- Whether a value has changed, for types with and without equality (json).
create function nudged.differs(before anyelement, after anyelement) returns boolean
language sql immutable parallel safe
as $$ select before is distinct from after $$;

create function nudged.differs(before json, after json) returns boolean
language sql immutable parallel safe
as $$ select case when before is null or after is null then (before is null) <> (after is null) else before::text <> after::text end $$;

-- Appends a touch for each of these users. It runs without a handler, and so without a subtransaction: more than 64 of them in one transaction slow down
-- everybody's snapshots. An error here (a lock, a full disk) fails the app's statement, which can be tried again. A lost touch would be a lost change.
create function nudged.append_touches(users uuid[]) returns void
language plpgsql
as $$
begin
    if users is null or users = '{}' then
        return;
    elsif to_regclass('nudged.touched') is null then
        raise warning 'nudged.touched is missing: this change counts when its users are next due';
    else
        insert into nudged.touched (user_id) select u from unnest(users) as u where u is not null;
    end if;
end
$$;

-- After an insert or a delete.
create function nudged.touch_changed() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform nudged.append_touches(array(select distinct c.user_id from changed c));
    return null;
end
$$;

-- After an update of the profiles. Old and new rows are paired by their places: where all pairs are equal, nothing has changed, whatever the order is.
create function nudged.touch_profiles() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    users uuid[];
begin
    begin
        select array_agg(distinct u.user_id) into users
        from (select *, row_number() over () as place from old_rows) o
        full join (select *, row_number() over () as place from new_rows) n using (place)
        cross join lateral (values (o.user_id), (n.user_id)) as u (user_id)
        where o.user_id is distinct from n.user_id
          or nudged.differs(o.notification_preferences, n.notification_preferences)
          or nudged.differs(o.timezone, n.timezone)
          or nudged.differs(o.first_session_complete, n.first_session_complete);
    exception when others then
        users := array(select user_id from old_rows union select user_id from new_rows);
    end;
    perform nudged.append_touches(users);
    return null;
end
$$;

-- After an update of the devices. A device that registers again changes nothing that the policy reads, unless the user has one in quarantine.
create function nudged.touch_devices() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    users uuid[];
    registered uuid[];
begin
    begin
        select
            array_agg(distinct u.user_id) filter (where u.is_changed),
            array_agg(distinct u.user_id) filter (where not u.is_changed)
        into users, registered
        from (select *, row_number() over () as place from old_rows) o
        full join (select *, row_number() over () as place from new_rows) n using (place)
        cross join lateral (
            select
                o.user_id is distinct from n.user_id
                or nudged.differs(o.device_token, n.device_token)
                or nudged.differs(o.platform, n.platform)
                or nudged.differs(o.environment, n.environment)
                or nudged.differs(o.topic, n.topic) as is_changed
        ) c
        cross join lateral (values (o.user_id, c.is_changed), (n.user_id, c.is_changed)) as u (user_id, is_changed)
        where c.is_changed or nudged.differs(o.updated_at, n.updated_at) or nudged.differs(o.created_at, n.created_at);
    exception when others then
        users := array(select user_id from old_rows union select user_id from new_rows);
    end;
    if registered is not null then
        users := users || array(
            select p.user_id from nudged.person p where p.user_id = any (registered) and p.user_id <> all (coalesce(users, '{}')) and p.quarantine is not null
        );
    end if;
    perform nudged.append_touches(users);
    return null;
end
$$;

-- After an insert into the table that nudged made: of a user with more than `max_devices` the oldest registrations are deleted. Refusing the new one instead
-- would leave the phone that the user holds now without pushes.
create function nudged.drop_oldest_devices() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    most constant integer := coalesce((select s.max_devices from nudged.setting s), 100);
    one uuid;
begin
    for one in
        select u.user_id from unnest(array(select distinct a.user_id from added a)) as u (user_id)
        where (select count(*) from (select 1 from public.push_tokens t where t.user_id = u.user_id limit most + 1) as first) > most
    loop
        -- A row that somebody holds is left: nobody waits.
        delete from public.push_tokens t
        where t.user_id = one and t.id = any (array(
            select o.id from public.push_tokens o where o.user_id = one
            order by greatest(o.created_at, o.updated_at) desc nulls last, o.id offset most
            for update skip locked
        ));
    end loop;
    return null;
end
$$;

-- Where Citus has distributed one of the app's tables, triggers would run on machines where nudged's own tables are not written: such an app calls nudged.touch.
do $$
declare
    wanted record;
    is_distributed boolean := false;
begin
    for wanted in
        select * from (values
            ('context_profiles', 'nudged_profile_inserted', 'insert', 'new table as changed', 'touch_changed'),
            ('context_profiles', 'nudged_profile_updated', 'update', 'old table as old_rows new table as new_rows', 'touch_profiles'),
            ('context_profiles', 'nudged_profile_deleted', 'delete', 'old table as changed', 'touch_changed'),
            ('push_tokens', 'nudged_device_inserted', 'insert', 'new table as changed', 'touch_changed'),
            ('push_tokens', 'nudged_device_updated', 'update', 'old table as old_rows new table as new_rows', 'touch_devices'),
            ('push_tokens', 'nudged_device_deleted', 'delete', 'old table as changed', 'touch_changed'),
            ('push_tokens', 'nudged_device_limit', 'insert', 'new table as added', 'drop_oldest_devices')
        ) as v (relation, name, event, rows, call)
    loop
        continue when wanted.call = 'drop_oldest_devices' and not exists (select from nudged.own_table where name = 'push_tokens');
        if exists (select from pg_extension where extname = 'citus') then
            execute 'select exists (select from pg_dist_partition where logicalrelid = $1)' into is_distributed
            using format('public.%I', wanted.relation)::regclass;
        end if;
        if is_distributed then
            raise notice 'public.% is distributed by Citus and gets no trigger %: call nudged.touch after changes', wanted.relation, wanted.name;
        else
            execute format('create trigger %I after %s on public.%I referencing %s for each statement execute function nudged.%I()',
                wanted.name, wanted.event, wanted.relation, wanted.rows, wanted.call);
        end if;
    end loop;
end
$$;

-- What a user's quarantine becomes: the new entries, then the newest hundred of other devices. Immutable, since an UPDATE across shards takes
-- nothing else.
create function nudged.merged_quarantine(known jsonb, entries jsonb) returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select entries || coalesce((
        select jsonb_agg(e.entry order by e.place) from (
            select entry, place
            from jsonb_array_elements(case when jsonb_typeof(known) = 'array' then known end) with ordinality as o (entry, place)
            where not exists (
                select 1 from jsonb_array_elements(entries) n
                where n ->> 'device' = entry ->> 'device' and n ->> 'environment' = entry ->> 'environment' and n ->> 'topic' = entry ->> 'topic'
            )
            order by place
            limit 100
        ) e
    ), '[]')
$$;

-- For people. A value that a hand has spoilt in one row breaks no other row.
create view nudged.quarantined as
select
    p.user_id, q ->> 'device' as device_hash, q ->> 'environment' as environment, q ->> 'topic' as topic, q ->> 'reason' as reason,
    q ->> 'at' as at
from nudged.person p
cross join lateral jsonb_array_elements(case when jsonb_typeof(p.quarantine) = 'array' then p.quarantine else '[]' end) as q
where exists (
    select from nudged.device d
    where d.user_id = p.user_id
      and left(encode(sha256(convert_to(lower(left(d.token::text, 512)), 'UTF8')), 'hex'), 16) = q ->> 'device'
      and coalesce(nullif(left(d.environment::text, 256), ''), q ->> 'environment') = q ->> 'environment'
      and coalesce(nullif(left(d.topic::text, 256), ''), q ->> 'topic') = q ->> 'topic'
      and (case when d.registered_at between '0001-01-01' and '9999-12-31'
          then (extract(epoch from d.registered_at::timestamptz) * 1000000)::bigint end)::text is not distinct from q ->> 'registered_at'
);

-- Where the citus extension is: tables about users are distributed by user_id. Members, leases, ranges, daemons and intents stay on the coordinator.
-- Every migration that makes a table about users calls it at its end. Returns what it distributed.
create function nudged.distribute() returns setof text
language plpgsql
as $$
declare
    wanted record;
begin
    if not exists (select 1 from pg_extension where extname = 'citus') then
        return;
    end if;
    for wanted in
        select c.oid, c.relname
        from pg_class c
        where c.relnamespace = 'nudged'::regnamespace
          and c.relkind in ('r', 'p') and not c.relispartition
          and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped)
          and not exists (select 1 from pg_dist_partition d where d.logicalrelid = c.oid)
        -- nudged.person first: the others lie beside it.
        order by c.relname <> 'person', c.relname
    loop
        execute format('select create_distributed_table(%L, ''user_id'', colocate_with => %L)', wanted.oid::regclass,
            case when wanted.relname = 'person' then 'default' else 'nudged.person' end);
        return next wanted.relname;
    end loop;
end
$$;

revoke all on function nudged.hold_member(uuid) from public;
revoke all on function nudged.touch(uuid) from public;
revoke all on function nudged.differs(anyelement, anyelement) from public;
revoke all on function nudged.differs(json, json) from public;
revoke all on function nudged.append_touches(uuid[]) from public;
revoke all on function nudged.touch_changed() from public;
revoke all on function nudged.touch_profiles() from public;
revoke all on function nudged.touch_devices() from public;
revoke all on function nudged.drop_oldest_devices() from public;
revoke all on function nudged.merged_quarantine(jsonb, jsonb) from public;
revoke all on function nudged.distribute() from public;

select nudged.distribute();

-- Every user of the app is evaluated once, now. The policy's clock counts whole seconds.
insert into nudged.person (user_id, due_at)
select distinct user_id, date_trunc('second', now()) from nudged.recipient;

-- What people see in psql (\d+, \df+) and in Supabase's editor.
comment on table nudged.person is 'One row per user: when they are due, and the history that the policy reads. The daemon writes it; people read it.';
comment on column nudged.person.user_id is 'The user.';
comment on column nudged.person.version is 'Rises with every change that was seen. A decision that was made on an older number is not carried out.';
comment on column nudged.person.due_at is 'The earliest time at which the policy''s answer can change. The daemon evaluates the user then.';
comment on column nudged.person.touched_at is 'The newest change that no decision has seen.';
comment on column nudged.person.since is 'When check-ins last became possible for this user, or were last rescheduled (docs/POLICY.md).';
comment on column nudged.person.fingerprint is 'A hash of what sets "since".';
comment on column nudged.person.asked_at is 'When the policy was last evaluated. Check-ins that went by later are recorded as skipped.';
comment on column nudged.person.check_in_at is 'When check-ins were sent that count, parallel to check_in_slot.';
comment on column nudged.person.check_in_slot is 'The local dates of check-ins that count, parallel to check_in_at.';
comment on column nudged.person.closed is 'Local dates whose check-in ended without counting.';
comment on column nudged.person.sent is 'When anything was sent that counts, for the limits per hour and per day.';
comment on column nudged.person.retry is 'What is left of nudges that not all devices have got yet. Null: nothing.';
comment on column nudged.person.quarantine is 'Devices that nothing is sent to until they register again. Read it with nudged.quarantined.';
comment on column nudged.person.analysed is 'When the decision service was asked about this user, at most 20 times of the last hour. Null where there is no service.';
comment on column nudged.person.template is 'The template of the last check-in that counts: its words don''t come twice in a row. Null: the configured words.';
comment on table nudged.touched is 'Changes that wait to be seen: rows are inserted by triggers and calls, and deleted by the daemon within a second.';
comment on column nudged.touched.user_id is 'The user of whom something changed.';
comment on column nudged.touched.id is 'The order of the changes.';
comment on column nudged.touched.at is 'When it changed.';
comment on column nudged.touched.urgent is 'Whether an urgent message came. Such changes are taken first.';
comment on column nudged.touched.arrival is 'Whether something came to be sent and nothing else changed.';
comment on table nudged.member is 'The daemons that share the work now. A row is inserted when a daemon joins, and deleted when it leaves or is declared dead. Deleting a row by hand declares that daemon dead.';
comment on column nudged.member.id is 'Names this membership. A daemon that joins again gets another one.';
comment on column nudged.member.daemon_id is 'The daemon, as in nudged.daemon.';
comment on column nudged.member.joined_at is 'When it joined.';
comment on table nudged.lease is 'Until when each membership lasts. A daemon renews its row every few seconds; one that does not is declared dead by another.';
comment on column nudged.lease.member is 'The membership.';
comment on column nudged.lease.alive_until is 'Until when it lasts without another renewal, by this database''s clock.';
comment on table nudged.range is 'The 64 ranges of users, by the hash of the user''s id. Only the owner of a range works on its users.';
comment on column nudged.range.id is 'uuid_hash(user_id) >> 26, -32 to 31.';
comment on column nudged.range.owner is 'The member that works on these users. Null: nobody yet.';
comment on table nudged.daemon is 'One row per daemon of the last day: what it says of itself. "nudged status" shows it.';
comment on column nudged.daemon.daemon_id is 'Names the daemon. A restart makes a new one.';
comment on column nudged.daemon.host is 'The host that it runs on.';
comment on column nudged.daemon.pid is 'Its process id there.';
comment on column nudged.daemon.version is 'Its version.';
comment on column nudged.daemon.started_at is 'When it started, by this database''s clock.';
comment on column nudged.daemon.seen_at is 'When it last wrote this row.';
comment on column nudged.daemon.state is 'Its lanes, last sweeps and pushes in flight.';
comment on table nudged.intent is 'Pushes that are about to be written to Apple. One row per slice, with parallel arrays: one element per push and message. A row that its daemon leaves behind is recorded as unknown.';
comment on column nudged.intent.id is 'Names the intent.';
comment on column nudged.intent.member is 'The member that writes these pushes. Null: that member is gone, and any daemon records what is open.';
comment on column nudged.intent.sweep_id is 'The sweep that decided them.';
comment on column nudged.intent.attempted_at is 'The time that the record gives for these attempts.';
comment on column nudged.intent.user_ids is 'To whom.';
comment on column nudged.intent.kinds is 'check_in, message or reminder.';
comment on column nudged.intent.keys is 'The check-in''s date, or the id of the message or reminder.';
comment on column nudged.intent.slots is 'The check-in''s local date.';
comment on column nudged.intent.device_hashes is 'To which device, as in the record.';
comment on column nudged.intent.apns_ids is 'The pushes'' apns-id.';
comment on column nudged.intent.retries is 'What is left of the user''s nudges beside these pushes, as nudged.person.retry. The same for each push of a user.';
comment on column nudged.intent.counted is 'Whether the history holds the nudge already.';
comment on column nudged.intent.nudges is 'Which of the user''s nudges it is, from 0.';
comment on column nudged.intent.ends is 'Whether the message ends with this attempt, even if its outcome stays unknown.';
comment on column nudged.intent.templates is 'The check-in''s template.';
comment on column nudged.intent.records is 'What the decisions found to record beside the pushes: an array of objects with the columns of nudged.delivery, or null.';
comment on column nudged.intent.settled is 'Users of this intent whose outcomes are recorded. For them it is not open any more.';
comment on column nudged.intent.withdrawn_until is 'Not null: an empty row that holds the place of a commit that may still arrive, until this time.';
comment on table nudged.setting is 'One row: limits per user. Change it with "update nudged.setting set ...". A change counts at once.';
comment on column nudged.setting.is_only is 'Makes it one row.';
comment on column nudged.setting.max_devices is 'Devices of a user. In the table that nudged made, a new device takes the place of the one that registered longest ago.';
comment on column nudged.setting.max_reminders is 'Pending reminders that a user has set. nudged.set_reminder refuses more.';
comment on column nudged.setting.max_messages is 'Messages that wait for a user. nudged.send refuses more; nudged.send_many records more as dropped.';
comment on view nudged.quarantined is 'Devices that nothing is sent to now, since Apple refuses their tokens. A device leaves it by registering again.';
comment on column nudged.quarantined.user_id is 'The user.';
comment on column nudged.quarantined.device_hash is 'The device, as in nudged.delivery.';
comment on column nudged.quarantined.environment is 'The APNs environment that refuses it.';
comment on column nudged.quarantined.topic is 'The APNs topic that refuses it.';
comment on column nudged.quarantined.reason is 'Apple''s reason.';
comment on column nudged.quarantined.at is 'When it was put here.';
comment on function nudged.hold_member is 'Locks a membership until the end of the transaction, or fails with ND020. Drains, settlements and postponements begin with it.';
comment on function nudged.touch is 'Says that something changed about this user that nudged''s triggers don''t see. The user is evaluated at once.';
comment on function nudged.differs(anyelement,anyelement) is 'Whether a value has changed. For the triggers on the app''s tables.';
comment on function nudged.differs(json,json) is 'Whether a value has changed. For the triggers on the app''s tables.';
comment on function nudged.append_touches is 'Appends a touch for each user. For the triggers on the app''s tables.';
comment on function nudged.touch_changed is 'Trigger on the app''s tables, after an insert or a delete: the users of the rows are evaluated.';
comment on function nudged.touch_profiles is 'Trigger on the app''s profiles, after an update: users of whom something changed are evaluated.';
comment on function nudged.touch_devices is 'Trigger on the app''s devices, after an update: users of whom something changed are evaluated.';
comment on function nudged.drop_oldest_devices is 'Trigger on public.push_tokens, where nudged made it: deletes a user''s oldest devices above nudged.setting.max_devices.';
comment on function nudged.merged_quarantine is 'What nudged.person.quarantine becomes with new entries.';
comment on function nudged.distribute is 'Distributes nudged''s tables about users, where the citus extension is. The migrations call it.';
