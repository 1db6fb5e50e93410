-- The record, and what reads it: the deletion of tokens and of users, and what users did with a nudge.
create table nudged.delivery (
    user_id uuid not null, kind text not null check (octet_length(kind) <= 32), key text not null check (octet_length(key) <= 255), slot date,
    device_hash text not null default '' check (octet_length(device_hash) <= 64), apns_id uuid,
    outcome text not null check (outcome in ('accepted', 'rejected', 'deferred', 'dropped', 'skipped', 'unknown', 'opened', 'helpful', 'unhelpful')),
    reason text check (octet_length(reason) <= 1024),
    status smallint, local_minute smallint check (local_minute between 0 and 10079),
    -- Days end: rows outside would never be dropped.
    attempted_at timestamptz not null default clock_timestamp() check (attempted_at between '1970-01-01 00:00:00Z' and '9999-12-31 00:00:00Z'),
    sweep_id uuid not null default '00000000-0000-0000-0000-000000000000',
    decision jsonb check (pg_column_size(decision) <= 8192), template integer
) partition by range (attempted_at);
-- No unique key: a settlement is of one turn (nudged.person.turn), and records each outcome once.
create index delivery_user on nudged.delivery (user_id);
create table nudged.delivery_default partition of nudged.delivery default;
-- It has no key, so a publication of all tables needs this for its deletions.
alter table nudged.delivery replica identity full;
alter table nudged.delivery_default replica identity full;
-- `nudged status` counts the last day's unknown pushes by it. Few rows are unknown, so it costs next to nothing.
create index delivery_unknown on nudged.delivery (attempted_at) where outcome = 'unknown';

-- Makes the partitions (one per UTC day) from yesterday to a week ahead, and drops those that ended more than
-- nudged.setting.retention_days ago. If the default partition has rows of a day, they stay there. Returns how many were
-- made, and how many steps of dropping were done. A step is one partition, or the oldest hour of what is too old in the
-- default partition. Each call does a bounded part. If it did something, more may be left: the daemon calls again in a
-- minute. SECURITY DEFINER: only a table's owner makes and drops its partitions, and the daemon's role must not own the
-- record, or choose how long it is kept.
create function nudged.maintain_delivery(out made integer, out dropped integer)
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
    today date := (now() at time zone 'UTC')::date;
    keep_days integer; oldest_kept date; day date; part text; oldest timestamptz;
begin
    made := 0;
    dropped := 0;
    -- If two daemons call it at once, the first does it. Nobody but the owner can lock this row.
    select s.retention_days into keep_days from nudged.setting s for update skip locked;
    if not found then
        if exists (select from nudged.setting) then return; end if;
        -- Without a setting nothing is dropped, but tomorrow needs its partition.
        keep_days := 36500;
    end if;
    oldest_kept := today - keep_days;
    for day in select d::date from generate_series(today - 1, today + 7, interval '1 day') d loop
        part := 'delivery_' || to_char(day, 'YYYYMMDD');
        if to_regclass('nudged.' || part) is null and not exists (
            select 1 from nudged.delivery_default where attempted_at >= day::timestamptz and attempted_at < (day + 1)::timestamptz
        ) then
            execute format('create table nudged.%I partition of nudged.delivery for values from (%L) to (%L)',
                part, day::timestamptz, (day + 1)::timestamptz);
            execute format('alter table nudged.%I enable row level security', part);
            execute format('alter table nudged.%I replica identity full', part);
            made := made + 1;
        end if;
    end loop;
    -- In blocks of their own: a reader that blocks the dropping must not undo what was made.
    begin
        -- The names are compared as text, since a person may have named a table 20260231, which is no date. Few per
        -- call: each drop locks the whole record until the commit.
        for part in
            select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'nudged.delivery'::regclass
              and c.relname ~ '^delivery_[0-9]{8}$'
              and right(c.relname, 8) < to_char(oldest_kept, 'YYYYMMDD')
            order by c.relname limit 10
        loop
            execute format('drop table nudged.%I', part);
            dropped := dropped + 1;
        end loop;
    exception when lock_not_available then dropped := 0;
    end;
    begin
        -- An hour of rows per call: the statement has seconds, and the default partition may hold months of rows.
        select min(attempted_at) into oldest from nudged.delivery_default where attempted_at < oldest_kept::timestamptz;
        if oldest is not null then
            delete from nudged.delivery_default
            where attempted_at < least(oldest_kept::timestamptz, greatest(oldest, '1970-01-01 00:00:00Z') + interval '1 hour');
            dropped := dropped + 1;
        end if;
    exception when lock_not_available then null;
    end;
end $$;

-- Deletes tokens that 410s proved stale (parallel lists). Each is deleted only if the record holds that answer for this
-- user and device, by its apns-id, since an instant. Returns how many were deleted. It deletes one by one: Citus may
-- send a statement over lists to a machine that has none of the app's tables. SECURITY DEFINER: the daemon's role can't
-- call nudged.forget_device, which asks for no answer.
create function nudged.forget_devices(
    recipients uuid[], devices text[], environments text[], topics text[], instants timestamptz[], apns_ids uuid[], since timestamptz
) returns bigint language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    refused text[]; answered_at timestamptz; stale record; is_surface boolean;
    gone bigint := 0;
begin
    select array_agg(format('%s %s %s', d.user_id, d.apns_id, d.device_hash)), max(d.attempted_at) into refused, answered_at from nudged.delivery d
    where d.user_id = any (recipients) and d.attempted_at >= since and d.outcome = 'rejected' and d.status = 410;
    for stale in
        select w.* from unnest(recipients, devices, environments, topics, instants, apns_ids)
            as w (user_id, device, environment, topic, instant, apns_id)
        where isfinite(w.instant)
          -- The hash of the record, as the daemon writes it.
          and format('%s %s %s', w.user_id, w.apns_id, left(encode(sha256(convert_to(lower(w.device collate "C"), 'UTF8')), 'hex'), 16)) = any (refused)
    loop
        -- No answer is about the future.
        stale.instant := least(stale.instant, greatest(clock_timestamp(), answered_at));
        -- As nudged.forget_device: a row that the app has locked is registering again.
        delete from nudged.surface
        where user_id = stale.user_id and (surface, token) in (
            select s.surface, s.token from nudged.surface s
            where s.user_id = stale.user_id and s.token = lower(stale.device collate "C")
              and coalesce(s.environment, stale.environment) = stale.environment and coalesce(s.topic, stale.topic) = stale.topic
              and s.registered_at < stale.instant
            for update skip locked);
        is_surface := found;
        if nudged.forget_device(stale.user_id, stale.device, stale.environment, stale.topic, stale.instant) or is_surface then
            gone := gone + 1;
        end if;
    end loop;
    return gone;
end $$;

-- Erases a user: no row in schema nudged mentions them any more. Returns how many rows were deleted or changed.
-- It is called in the transaction in which the app deletes its own rows of the user, after them. Then what the triggers
-- append is deleted as well. If the app's rows stay, their next change brings the user back. A push that is being
-- written at that moment is sent, and its outcome is not recorded.
-- Locks are taken in the order of every writer that waits: seen, reminders (as a fan-out or a snooze), touches, then person
-- (as a drain). Who writes something for this user holds one of these rows. So this call waits, and later statements see
-- what was written. No lock on an intent is waited for: its holder waits for the person's row, finds it deleted, and
-- records nothing. The list below is in this order.
create function nudged.erase(recipient uuid) returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    relation text; gone bigint;
    erased bigint := 0;
    before bytea := uuid_send(recipient);
    place integer := 15;
    is_due boolean;
begin
    foreach relation in array
        array['seen', 'reminder', 'touched', 'person', 'intent', 'message', 'preview', 'own_call', 'message_key', 'occurrence', 'delivery', 'surface']
    loop
        if relation = 'person' then
            delete from nudged.person where user_id = recipient returning due_at <= clock_timestamp() + interval '1 second' into is_due;
        elsif relation = 'intent' then
            -- An intent with open pushes stays, without this user: the other users' outcomes need it.
            with open as materialized (select id from nudged.intent where recipient = any (user_ids) for update skip locked)
            update nudged.intent i set (user_ids, turns, contents) = (
                select coalesce(array_agg(d.user_id order by d.place), '{}'), coalesce(array_agg(d.turn order by d.place), '{}'),
                    coalesce(array_agg(d.content order by d.place), '{}')
                from unnest(i.user_ids, i.turns, i.contents) with ordinality as d (user_id, turn, content, place) where d.user_id <> recipient
            )
            from open o where i.id = o.id;
        else
            execute format('delete from nudged.%I where user_id = $1', relation) using recipient;
        end if;
        get diagnostics gone = row_count;
        erased := erased + gone;
    end loop;
    delete from nudged.occurrence where author_id = recipient and author_id <> user_id;
    get diagnostics gone = row_count;
    erased := erased + gone;
    -- A fan-out that paused after this user goes on after the next lower id. For the lowest id it starts again.
    while place >= 0 and get_byte(before, place) = 0 loop
        before := set_byte(before, place, 255);
        place := place - 1;
    end loop;
    if place >= 0 then before := set_byte(before, place, get_byte(before, place) - 1); end if;
    update nudged.occurrence set fan_out_after = case when place >= 0 then encode(before, 'hex')::uuid end where fan_out_after = recipient;
    -- Touches that were appended meanwhile. One that a daemon has taken finds no data, and inserts no row.
    delete from nudged.touched where user_id = recipient and (user_id, id) in (
        select t.user_id, t.id from nudged.touched t where t.user_id = recipient for update skip locked
    );
    get diagnostics gone = row_count;
    -- A daemon may have decided on a push for a user who was due. It finds this touch before the first byte.
    if is_due then insert into nudged.touched (user_id) values (recipient); end if;
    return erased + gone;
end $$;

-- Notes what a user did with a nudge: opened, helpful or unhelpful. `id` is the payload's `nudge`; the first message of
-- a digest stands for all of them. It counts for a week after the nudge, so that it reads few partitions. The row repeats
-- what the nudge's own says of template and time. done: 1 if something new was noted.
create function nudged.note_answer(call text, recipient uuid, id text, answer text) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    instant constant timestamptz := clock_timestamp();
    name constant text := lower(note_answer.id collate "C") collate "default";
    nudge nudged.delivery;
begin
    if nudged.refuse(call, case
        when recipient is null then array['user_id is null', 'Name the user who got the nudge.']
        when note_answer.id is null or octet_length(note_answer.id) > 64 then array['id is not valid', 'Give the payload''s "nudge".']
        when answer is null then array['helpful is null', 'Give true or false.'] end) then end if;
    select d.* into nudge from nudged.delivery d
    where d.user_id = recipient and d.key = name and d.outcome in ('accepted', 'unknown') and d.attempted_at > instant - interval '7 days'
    order by d.attempted_at limit 1;
    if not found and name ~ '^[0-9-]{10}$|^[0-9a-f-]{36}$' and exists (select from nudged.intent i where recipient = any (i.user_ids)) then
        -- A quick tap: the push is not recorded yet.
        nudge.kind := case when octet_length(name) = 10 then 'check_in' else 'message' end;
        nudge.key := name;
        nudge.attempted_at := instant - interval '1 hour';
    end if;
    if nudge.key is null then return nudged.result_of(done => 0); end if;
    perform nudged.note_seen(recipient, answer = 'opened');
    if answer = (
        select (array_agg(d.outcome order by d.attempted_at desc))[1] from nudged.delivery d
        where d.user_id = recipient and d.key = nudge.key and d.attempted_at >= nudge.attempted_at
          and d.outcome = any (case answer when 'opened' then array['opened'] else array['helpful', 'unhelpful'] end)
    ) then
        return nudged.result_of(done => 0);
    end if;
    insert into nudged.delivery (user_id, kind, key, slot, outcome, local_minute, attempted_at, template)
    select recipient, nudge.kind, w.key, nudge.slot, answer, nudge.local_minute, instant, nudge.template from (
        select nudge.key
        union select d.key from nudged.delivery d
        where d.user_id = recipient and d.attempted_at = nudge.attempted_at and d.kind = nudge.kind and d.apns_id = nudge.apns_id
    ) w;
    return nudged.result_of();
end $$;

create function nudged.note_opened(call text, recipient uuid, id text) returns nudged.result
language sql set search_path = pg_catalog, pg_temp return nudged.note_answer(call, recipient, id, 'opened');

create function nudged.note_feedback(call text, recipient uuid, id text, helpful boolean) returns nudged.result
language sql set search_path = pg_catalog, pg_temp
return nudged.note_answer(call, recipient, id, case when helpful then 'helpful' when not helpful then 'unhelpful' end);

create function nudged_api.forget(user_id uuid) returns nudged.result language sql security definer set search_path = pg_catalog, pg_temp as $$
    select nudged.require_backend('nudged_api.forget');
    select nudged.refuse('nudged_api.forget', case when user_id is null then array['user_id is null', 'Name the user who is to be erased.'] end);
    select nudged.result_of(done => nudged.erase(user_id));
$$;

-- A deletion only inserts a row, so it waits for nobody. No role but the owner can lock the table.
create table nudged.departed (
    user_id uuid not null, id bigint generated always as identity, due_at timestamptz not null default clock_timestamp(),
    -- Erased once. An app may have registered a device since.
    is_erased boolean not null default false,
    primary key (user_id, id)
);
create index departed_due on nudged.departed (due_at);
-- Users who are not claimed any more (statement `claim_people`).
create index departed_open on nudged.departed (user_id) where not is_erased;

select nudged.finish_tables();
select nudged.maintain_delivery();

select nudged.describe('nudged.delivery', 'The record: one row per device and attempt. The daemon and nudged''s functions append rows; none is changed. A check-in that was not sent, and a message or reminder that was dropped, has one row with an empty device_hash.',
    'slot', 'The check-in''s local date. Null: another kind.',
    'device_hash', 'A hash of the device token: 16 hexadecimal digits. Empty: nothing was sent to a device.',
    'apns_id', 'The push''s apns-id. Null: nothing was sent.',
    'outcome', 'accepted, rejected, deferred (Apple asked to try again later; another row follows), dropped, skipped or unknown; and what the user did with it: opened, helpful or unhelpful.',
    'reason', 'Apple''s reason, or nudged''s.', 'status', 'The HTTP status of Apple''s answer. Null: no answer.',
    'local_minute', 'When the push was sent, by the user''s clock: the minute of the week, 0 at Monday 00:00. Null: no push, or no zone.',
    'attempted_at', 'When it was attempted, or decided if nothing was sent.',
    'sweep_id', 'The sweep that it belongs to. Zeros: no sweep, but a function or a command.',
    'decision', 'The decision service''s answer: an object with by, notify, priority and reason. Null: it was not asked.',
    'template', 'The check-in''s template. Null: another kind.');
comment on function nudged.maintain_delivery is 'Makes the record''s partitions and drops those that are too old, a bounded number per call. The daemon calls it.';
comment on table nudged.departed is 'Users who were deleted from auth.users. A trigger adds a row; the daemon sends them nothing more, erases them within a second or so, and once more a day later.';
comment on function nudged_api.forget is 'Erases a user from all of nudged''s tables. Call it after deleting the app''s own rows, in the same transaction. done: how many rows were deleted or changed.';
