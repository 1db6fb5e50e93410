-- Reminders: an app's subject (a task, a table) and a time at which a user wants to be told of it. docs/SQL.md shows
-- the calls. An app's call only inserts rows, or deletes those that no intent holds, so it never waits for a daemon.
-- Each row belongs to one user, its texts included, so no join crosses users. Swift computes wall times and
-- recurrences. SQL uses AT TIME ZONE only to warn and refuse, with names that nudged.is_zone accepts.

-- It is read when a reminder is due: new members are told, former members are not.
create view nudged.subject_member with (security_barrier) as
select null::text as subject_type, null::text as subject_id, null::uuid as user_id where false;

-- The reminders that exist: one per author and subject. Setting, cancelling and fanning out lock the row first.
create table nudged.reminder (
    user_id uuid not null,
    subject_type text not null check (octet_length(subject_type) <= 100), subject_id text not null check (octet_length(subject_id) <= 200),
    id uuid not null, created_at timestamptz not null default now(),
    primary key (user_id, subject_type, subject_id), unique (user_id, id)
);
create index reminder_subject on nudged.reminder (subject_type, subject_id);

create table nudged.occurrence (
    user_id uuid not null, id uuid not null default gen_random_uuid(), reminder_id uuid not null, author_id uuid not null,
    subject_type text not null check (octet_length(subject_type) <= 100), subject_id text not null check (octet_length(subject_id) <= 200),
    title text not null check (octet_length(title) <= 4096), body text not null check (octet_length(body) <= 4096),
    apns jsonb check (pg_column_size(apns) <= 65536), due_at timestamptz, due_local timestamp,
    timezone text check (octet_length(timezone) <= 255), is_fan_out boolean not null default false, fan_out_after uuid, is_own boolean not null,
    recurrence text check (octet_length(recurrence) <= 2000), number integer not null default 1,
    -- From the second occurrence on, an instant is a wall time in the recipient's zone, but for fan-outs. planned_local is null for the first one.
    first_at timestamptz, first_local timestamp, planned_local timestamp, restored_at timestamptz,
    wakes_at timestamptz not null generated always as (coalesce(due_at, (due_local - interval '14 hours') at time zone 'UTC')) stored,
    primary key (user_id, id),
    check (num_nonnulls(due_at, due_local) = 1),
    check (num_nonnulls(first_at, first_local) = case when recurrence is null then 0 else 1 end),
    check (first_local is null or planned_local is not null),
    check (planned_local is null or recurrence is not null),
    check (user_id = author_id or (not is_fan_out and recurrence is null))
);
create index occurrence_wakes on nudged.occurrence (user_id, wakes_at);
create index occurrence_subject on nudged.occurrence (subject_type, subject_id);
create index occurrence_reminder on nudged.occurrence (reminder_id);
create index occurrence_author on nudged.occurrence (author_id) where author_id <> user_id;
create index occurrence_fan_out on nudged.occurrence (wakes_at) where is_fan_out;

-- The id of a new occurrence of a reminder: its first half is the reminder's. So the record, which has the occurrence's
-- id only, still tells which reminder it was (nudged.read_history).
create function nudged.occurrence_id(reminder uuid) returns uuid language sql volatile set search_path = pg_catalog, pg_temp
as $$ select (left(reminder::text, 18) || substr(gen_random_uuid()::text, 19))::uuid $$;

-- A subject's id as it is stored. An id in the form of a UUID is in small letters, as PostgreSQL writes it; Swift
-- writes capitals. Each call passes its argument through it, without the collation of the caller's column.
create function nudged.subject_key(id text) returns text language sql immutable parallel safe return case
    when id collate "C" ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' then lower(id collate "C") collate "default"
    else id collate "default"
end;

-- The spellings that an id which is stored as nudged.subject_key returns it may have in nudged.subject_member.
create function nudged.subject_spellings(id text) returns text[] language sql immutable parallel safe return case
    when id collate "C" ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then array[id, upper(id collate "C")]
    else array[id]
end;

select nudged.finish_tables();

-- Refuses what the daemon's parser refuses (Recurrence+Parsing.swift), and says why.
create function nudged.recurrence_fault(rule text) returns text
language plpgsql immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
    parts constant text := 'only FREQ, INTERVAL, BYDAY, BYMONTHDAY, COUNT, UNTIL and WKST';
    wanted_frequency constant text := 'DAILY, WEEKLY or MONTHLY (each year is FREQ=MONTHLY;INTERVAL=12)';
    -- Not upper(), since its result depends on the locale.
    line constant text collate "C" := translate(left(rule, 2001), 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    part text collate "C"; name text collate "C"; value text collate "C"; wanted text collate "C";
    given jsonb := '{}';
begin
    -- The function is not STRICT. Otherwise a constant null would be answered without a check of the right to call it.
    if rule is null then
        return null;
    elsif line = '' then
        return 'recurrence: found nothing, wanted a rule such as FREQ=WEEKLY;BYDAY=MO';
    elsif octet_length(rule) > 2000 or octet_length(convert_to(line, 'UTF8')) > 500 then
        return 'recurrence: found more than 500 bytes, wanted a shorter rule';
    elsif starts_with(line, 'RRULE:') then
        return 'recurrence: found the prefix RRULE:, wanted the rule alone, from FREQ= on';
    end if;
    foreach part in array string_to_array(line, ';') loop
        if strpos(part, '=') = 0 then return 'recurrence: found a part without =, wanted NAME=VALUE parts with ; between them'; end if;
        name := left(part, strpos(part, '=') - 1);
        value := substr(part, strpos(part, '=') + 1);
        if name = 'BYSETPOS' then
            return 'recurrence.BYSETPOS: found a part that reminders do not have, wanted a numbered weekday, as BYDAY=-1FR for the last Friday of a month';
        elsif name in ('BYSECOND', 'BYMINUTE', 'BYHOUR', 'BYYEARDAY', 'BYWEEKNO', 'BYMONTH') then
            return format('recurrence.%s: found a part that reminders do not have, wanted %s', name, parts);
        elsif name not in ('FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'COUNT', 'UNTIL', 'WKST') then
            return 'recurrence: found an unknown part, wanted ' || parts;
        elsif given ? name then
            return format('recurrence.%s: found it twice, wanted it once', name);
        end if;
        given := given || jsonb_build_object(name, value);
        wanted := case name
            when 'FREQ' then case when value in ('DAILY', 'WEEKLY', 'MONTHLY') then null else wanted_frequency end
            when 'BYDAY' then case when value ~ '^(([+-]?0?[1-5])?(MO|TU|WE|TH|FR|SA|SU)(,|$))+$' and value !~ ',$' then null
                else 'weekdays, MO to SU, with commas between them; with FREQ=MONTHLY also 1MO to 5MO and -1MO (the last) to -5MO' end
            when 'BYMONTHDAY' then case when value ~ '^([+-]?(0?[1-9]|[12][0-9]|3[01])(,|$))+$' and value !~ ',$' then null
                else 'days of the month, 1 to 31 or -1 (the last) to -31, with commas between them' end
            when 'UNTIL' then case when nudged.recurrence_until(value) is not null then null
                else 'a day or a time: 20261231, 20261231T180000 (wall time) or 20261231T180000Z' end
            when 'WKST' then case when value in ('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU') then null else 'a weekday, MO to SU' end
            else case when value ~ '^0*[1-9][0-9]{0,3}$' and length(value) <= 9 then null else 'a number from 1 to 9999' end
        end;
        if wanted is not null then return format('recurrence.%s: found another value, wanted %s', name, wanted); end if;
    end loop;
    if not given ? 'FREQ' then
        return 'recurrence.FREQ: found nothing, wanted ' || wanted_frequency;
    elsif given ? 'COUNT' and given ? 'UNTIL' then
        return 'recurrence.UNTIL: found it beside COUNT, wanted one of the two';
    elsif given ? 'BYMONTHDAY' and given ->> 'FREQ' = 'WEEKLY' then
        return 'recurrence.BYMONTHDAY: found it with FREQ=WEEKLY, wanted FREQ=MONTHLY or FREQ=DAILY';
    elsif given ->> 'FREQ' <> 'MONTHLY' and given ->> 'BYDAY' ~ '[0-9]' then
        return 'recurrence.BYDAY: found a numbered weekday without FREQ=MONTHLY, wanted weekdays alone, or FREQ=MONTHLY';
    end if;
    return null;
end $$;

-- The last moment of an UNTIL as it is written, without its zone. Null: the value is no UNTIL.
create function nudged.recurrence_until(value text) returns timestamp language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare month_begins date;
begin
    if value is null or value !~ '^[0-9]{4}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]Z?)?$' or left(value, 4) = '0000' then
        return null;
    end if;
    month_begins := make_date(left(value, 4)::integer, substr(value, 5, 2)::integer, 1);
    if substr(value, 7, 2)::integer > extract(day from month_begins + interval '1 month - 1 day') then return null; end if;
    return month_begins + (substr(value, 7, 2)::integer - 1) + case
        when length(value) = 8 then time '23:59:59'
        else make_time(substr(value, 10, 2)::integer, substr(value, 12, 2)::integer, substr(value, 14, 2)::double precision)
    end;
end $$;

-- Whether a name is a zone (docs/POLICY-SPEC.md, "Zone"), as far as this server can tell. The server also accepts other
-- names, in any case. The patterns and the comparison exclude them.
create function nudged.is_zone(name text) returns boolean language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$ begin
    if octet_length(name) > 255 or name not in ('UTC', 'GMT', 'UCT', 'Universal', 'Zulu', 'Greenwich') and (
        name !~ '^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)+$' or name ~ '^(posix|right)/'
        -- Only these have digits. PostgreSQL reads any other name with a number at its end as an offset.
        or name ~ '[0-9]' and name !~ '^Etc/GMT[+-]?[0-9]{1,2}$'
    ) then
        return false;
    end if;
    -- Only for this function.
    perform set_config('timezone', name, true);
    return current_setting('timezone') = name;
exception when invalid_parameter_value then return false;
end $$;

-- Deletes pending occurrences (parallel: recipients, ids) that no open intent holds, and returns their ids. They are
-- recorded as dropped for this reason (null: something replaces them, so nothing is recorded). The others are on their way.
-- An intent's transaction locks its rows FOR KEY SHARE. Here they are locked FOR UPDATE, and a later statement, with a
-- later snapshot, looks at the open intents. So the second to commit sees the first, which is exact in READ COMMITTED.
-- Neither waits, since each skips what the other has locked. Rows that turn out to be on their way are unlocked by
-- leaving the subtransaction. Otherwise their outcome would wait for the app.
create function nudged.take_back_reminders(recipients uuid[], occurrences uuid[], why text) returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    whose uuid[] := recipients;
    which uuid[] := occurrences;
    held_by uuid[]; held uuid[]; intended uuid[];
begin
    if coalesce(cardinality(occurrences), 0) = 0 then return '{}'; end if;
    loop
        begin
            select h.recipients, h.occurrences into held_by, held from nudged.hold_occurrences(whose, which) h;
            select array_agg(o.id) into intended from unnest(held) as o (id) where o.id in (select nudged.on_their_way(held_by, held));
            if intended is not null then raise sqlstate 'ND001'; end if;
        exception when sqlstate 'ND001' then
            -- The locks are released. Each round leaves out at least one row more.
            select array_agg(w.user_id), array_agg(w.id) into whose, which
            from unnest(whose, which) as w (user_id, id) where not exists (select 1 from unnest(intended) as i (id) where i.id = w.id);
            continue;
        end;
        exit;
    end loop;
    with gone as (
        delete from nudged.occurrence o using unnest(held_by, held) as h (user_id, id)
        where o.user_id = h.user_id and o.id = h.id returning o.user_id, o.id
    )
    insert into nudged.delivery (user_id, kind, key, outcome, reason)
    select user_id, 'reminder', id::text, 'dropped', why from gone where why is not null;
    return held;
end $$;

-- Locks those of these occurrences (parallel: recipients, ids) FOR UPDATE that are not locked, and returns them.
create function nudged.hold_occurrences(inout recipients uuid[], inout occurrences uuid[]) language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    held_by uuid[] := '{}';
    held uuid[] := '{}';
    pending record; one record;
begin
    begin
        select coalesce(array_agg(o.user_id), '{}'), coalesce(array_agg(o.id), '{}') into held_by, held from (
            select p.user_id, p.id
            from unnest(recipients, occurrences) as w (user_id, id)
            join nudged.occurrence p on p.user_id = w.user_id and p.id = w.id for update of p skip locked
        ) o;
    exception when feature_not_supported then
        -- User by user: rows are not locked across machines.
        for pending in select w.user_id, array_agg(w.id) as ids from unnest(recipients, occurrences) as w (user_id, id) group by w.user_id loop
            for one in select id from nudged.occurrence where user_id = pending.user_id and id = any (pending.ids) for update skip locked loop
                held_by := held_by || pending.user_id;
                held := held || one.id;
            end loop;
        end loop;
    end;
    recipients := held_by;
    occurrences := held;
end $$;

-- Locks users against nudged_api.forget until the end of the transaction, and returns those who were not erased. For
-- transactions that write rows of users other than the caller. It waits for an erasure under way; the daemon's
-- settlements go on. A user whom no sweep has seen yet has no row to lock. Such users count if the app knows them.
create function nudged.hold_recipients(recipients uuid[]) returns setof uuid language plpgsql set search_path = pg_catalog, pg_temp as $$
declare held uuid[]; strangers uuid[]; one uuid;
begin
    begin
        select array_agg(p.user_id) into held from (select user_id from nudged.person where user_id = any (recipients) order by user_id for key share) p;
    exception when feature_not_supported then
        -- User by user: rows are not locked across machines.
        for one in select distinct u from unnest(recipients) as u order by u loop
            perform 1 from nudged.person where user_id = one for key share;
            if found then held := held || one; end if;
        end loop;
    end;
    strangers := array(select unnest(recipients) except select unnest(held));
    -- A later snapshot: users who were erased while the lines above waited are gone.
    return query select unnest(held)
    union select user_id from nudged.recipient where user_id = any (strangers)
    union select user_id from nudged.device where user_id = any (strangers);
end $$;

create function nudged.set_reminder(
    call text, author uuid, subject_type text, subject_id text, title text, body text, due_at timestamptz default null, due_local timestamp default null,
    audience text default 'me', recurrence text default null, timezone text default null, apns jsonb default null
) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    made constant uuid := gen_random_uuid();
    warnings text[];
    instant constant timestamptz := nudged.whole_second(set_reminder.due_at at time zone 'UTC') at time zone 'UTC';
    wall constant timestamp := nudged.whole_second(set_reminder.due_local);
    most constant integer := coalesce((select s.max_reminders from nudged.setting s), 1000);
    recipients uuid[]; replaced uuid[];
begin
    -- Calendar libraries write the name of the property, too.
    if upper(left(recurrence, 6) collate "C") = 'RRULE:' then recurrence := substr(recurrence, 7); end if;
    if nudged.refuse(call, nudged.reminder_fault(
        set_reminder.subject_type, set_reminder.subject_id, author, set_reminder.title, set_reminder.body, instant, wall, audience,
        set_reminder.recurrence, set_reminder.timezone, set_reminder.apns
    )) then end if;
    -- Locked until the commit: a second call for this author and subject waits, and replaces this one.
    insert into nudged.reminder as r (user_id, subject_type, subject_id, id)
    values (author, set_reminder.subject_type, set_reminder.subject_id, made)
    on conflict (user_id, subject_type, subject_id) do update set id = excluded.id, created_at = excluded.created_at;
    warnings := nudged.reminder_warnings(
        set_reminder.subject_type, set_reminder.subject_id, author, instant, wall, audience, set_reminder.recurrence, set_reminder.timezone
    );
    -- A later snapshot: it sees what the line above waited for.
    select array_agg(o.user_id), array_agg(o.id) into recipients, replaced
    from nudged.occurrence o where o.subject_type = set_reminder.subject_type and o.subject_id = set_reminder.subject_id and o.author_id = author;
    if replaced is not null then
        if nudged.refuse(call, nudged.isolation_fault('the reminder')) then end if;
    -- Only the author's own reminders count: others must not use up their limit. Concurrent calls may exceed it.
    elsif (
        select count(*) from (select 1 from nudged.occurrence o where o.user_id = author and o.author_id = author limit most) as pending
    ) >= most then
        if nudged.refuse(call, array[format('the author has %s reminders pending', most), case call
            when 'nudged_me.set_reminder' then 'Cancel some of them first (nudged_me.cancel).'
            else 'Cancel reminders of this author that nobody needs (nudged_api.cancel_reminders), or raise nudged.setting.max_reminders.' end, 'ND015']) then end if;
    end if;
    if cardinality(replaced) > cardinality(nudged.take_back_reminders(recipients, replaced, 'replaced')) then
        warnings := warnings || 'replaced_too_late: the reminder that this one replaces is on its way already'::text;
    end if;
    insert into nudged.occurrence (
        user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, due_local, timezone, is_fan_out, is_own, recurrence,
        first_at, first_local, planned_local
    )
    values (
        author, nudged.occurrence_id(made), made, author, set_reminder.subject_type, set_reminder.subject_id, coalesce(set_reminder.title, ''),
        coalesce(set_reminder.body, ''), nudged.stored_apns(set_reminder.apns), instant, wall, set_reminder.timezone, audience = 'everyone', audience = 'me', set_reminder.recurrence,
        case when set_reminder.recurrence is not null then instant end, case when set_reminder.recurrence is not null then wall end,
        case when set_reminder.recurrence is not null then wall end
    );
    insert into nudged.touched (user_id, arrival) select distinct u, replaced is null from unnest(recipients || author) as u;
    return nudged.result_of(made, warnings => warnings);
end $$;

-- The first thing that is wrong with a reminder's arguments, and the remedy. Null: nothing. Never the text.
create function nudged.reminder_fault(
    subject_type text, subject_id text, author uuid, title text, body text, due_at timestamptz, due_local timestamp, audience text,
    recurrence text, timezone text, apns jsonb
) returns text[] language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    is_long constant boolean := greatest(octet_length(title), octet_length(body)) > 65536
        or octet_length(subject_type) > 100 or octet_length(subject_id) > 200;
    bytes integer;
    broken text[] := nudged.apns_fault(apns, 'reminder');
    rule_fault constant text := nudged.recurrence_fault(recurrence);
    until_text constant text := substring(translate(left(recurrence, 2001), 'untilz', 'UNTILZ') from 'UNTIL=([^;]*)');
begin
    if broken is null then
        bytes := case when is_long is true then 65537 else nudged.payload_bytes(
                title, body, nullif(apns -> 'data', 'null'), false, apns ->> 'category', apns ->> 'thread_id', nudged.stored_apns(apns))
            + octet_length(',"subject_type":') + nudged.utf8_bytes(to_json(subject_type)::text)
            + octet_length(',"subject_id":') + nudged.utf8_bytes(to_json(subject_id)::text) end;
        if bytes <= 65536 then broken := nudged.text_fault(title, body, apns, 'reminder'); end if;
    end if;
    return case
        when coalesce(subject_type, '') = '' or octet_length(subject_type) > 100 then array[
            'subject_type is empty or longer than 100 bytes', 'Name what the reminder is about by its kind, such as task.']
        when coalesce(subject_id, '') = '' or octet_length(subject_id) > 200 then array[
            'subject_id is empty or longer than 200 bytes', 'Give the id of what the reminder is about, as text.']
        when author is null then array['user_id is null', 'Name the user who sets the reminder.']
        when broken is not null then broken
        when bytes > 4096 then array[
            format('the payload has %s bytes', case when bytes > 65536 then 'more than 65536' else bytes::text end),
            format('Apple accepts 4096 bytes for the whole payload. Shorten %s.', nudged.longest(title, body, null, apns))]
        when num_nonnulls(due_at, due_local) <> 1 then array[
            format('due_at and due_local are %s', case when due_at is null then 'both null' else 'both given' end),
            'Give an instant (due_at), or a wall time that each recipient gets in their own zone (due_local).']
        when not isfinite(due_at) or not isfinite(due_local) or due_at > now() + interval '100 years'
            or due_local > (now() at time zone 'UTC') + interval '100 years' then array[
            format('%s is more than 100 years away', case when due_at is null then 'due_local' else 'due_at' end), 'Give a time within 100 years.']
        when due_at < now() then array['due_at is in the past', 'Give a time in the future.']
        when due_local < (now() at time zone 'UTC') - interval '12 hours' then array['due_local is in the past in every zone', 'Give a wall time in the future.']
        when audience is null or audience not in ('me', 'everyone') then array[
            'audience is neither me nor everyone', 'Use me for the author, or everyone for the members in nudged.subject_member when it is due.']
        when timezone is not null and not nudged.is_zone(timezone) then array[
            'timezone is no zone that the server knows', 'Give a name in its exact spelling, such as Europe/Berlin, or null for each recipient''s own zone.']
        -- After the check above, the name is a zone's.
        when due_local at time zone timezone < now() then array['due_local is in the past in timezone', 'Give a wall time in the future.']
        when rule_fault is not null then array[
            split_part(rule_fault, ', wanted ', 1), 'Wanted: ' || substr(rule_fault, strpos(rule_fault, ', wanted ') + length(', wanted ')) || '.']
        -- A wall time comes up to 14 hours before the same time in UTC, or 12 after it. One kind compares exactly.
        when nudged.recurrence_until(until_text) + case when (due_at is null) = (until_text like '%Z') then interval '26 hours' else '0' end
            < coalesce(due_local, due_at at time zone 'UTC') then array['recurrence.UNTIL is before the reminder is due', 'Give a later UNTIL, or none.']
    end;
end $$;

-- Warnings for the caller, as far as SQL can tell: it knows neither the daemon's zone files nor its rules' quiet hours.
create function nudged.reminder_warnings(
    subject_type text, subject_id text, author uuid, due_at timestamptz, due_local timestamp, audience text, recurrence text, timezone text
) returns text[] language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    warnings text[] := '{}';
    wishes jsonb; night_begins text; night_ends text;
    own_zone constant text := nudged.own_zone(reminder_warnings.author);
    wall timestamp;
begin
    select nudged.json_or_null(nudged.preferences_text(r.preferences)) into wishes from nudged.recipient r where r.user_id = reminder_warnings.author limit 1;
    if not found and not exists (select from nudged.device d where d.user_id = reminder_warnings.author) then
        warnings := warnings || 'no_device: the user has neither a profile nor a device now: a reminder without a device is dropped'::text;
    end if;
    night_begins := wishes ->> 'quiet_hours_start';
    night_ends := wishes ->> 'quiet_hours_end';
    -- The time on the author's own clock.
    if due_local is not null and timezone is null then
        wall := due_local;
    elsif own_zone is not null then
        wall := coalesce(due_at, due_local at time zone timezone) at time zone own_zone;
    end if;
    if night_begins ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$' and night_ends ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
        and (case when night_begins <= night_ends
            then wall::time >= night_begins::time and wall::time < night_ends::time
            else wall::time >= night_begins::time or wall::time < night_ends::time
        end)
    then
        warnings := warnings || format('quiet_hours: the hour lies in the author''s own quiet hours, %s to %s: %s', night_begins, night_ends,
            case audience when 'me' then 'the author is told anyway' else 'recipients in quiet hours are told when these end' end);
    end if;
    if audience = 'me' and timezone is null and due_local at time zone own_zone < now() then
        warnings := warnings || 'past_hour: the hour is past on the author''s own clock: they are told at once'::text;
    end if;
    if own_zone is null and timezone is null and (due_local is not null and audience = 'me' or recurrence is not null) then
        warnings := warnings || 'no_timezone: the author has no time zone that the server knows: unless policy.defaultTimezone is set, a wall time waits until they have one'::text;
    end if;
    if audience = 'everyone' then
        begin
            if not exists (
                select 1 from nudged.subject_member m
                where m.subject_type = reminder_warnings.subject_type and m.subject_id = any (nudged.subject_spellings(reminder_warnings.subject_id))
            ) then
                warnings := warnings || 'no_members: the subject has no members in nudged.subject_member now'::text;
            end if;
        exception
            when query_canceled then raise;
            when others or assert_failure then
                warnings := warnings || format('members_unreadable: nudged.subject_member could not be read now (SQLSTATE %s): nobody is told until it can', sqlstate);
        end;
    end if;
    return warnings;
end $$;

-- Cancels what is pending of a subject, of all authors, recurrences included. Under any isolation level; the numbers are
-- exact under READ COMMITTED. too_late: their push is on its way, or was tried already and is not tried again.
create function nudged.end_reminders(subject_type text, subject_id text) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare authors uuid[]; recipients uuid[]; pending uuid[];
begin
    -- Two calls at once for one subject would lock its authors' rows in different orders.
    perform nudged.hold(format('subject %s %s', end_reminders.subject_type, end_reminders.subject_id));
    with gone as (
        delete from nudged.reminder r
        where r.subject_type = end_reminders.subject_type and r.subject_id = end_reminders.subject_id returning r.user_id
    )
    select array_agg(user_id) into authors from gone;
    -- A later snapshot: it sees what was set or fanned out while the lines above waited.
    select array_agg(o.user_id), array_agg(o.id) into recipients, pending
    from nudged.occurrence o where o.subject_type = end_reminders.subject_type and o.subject_id = end_reminders.subject_id;
    insert into nudged.touched (user_id) select distinct u from unnest(recipients || authors) as u;
    return nudged.end_occurrences(recipients, pending);
end $$;

-- Cancels pending occurrences (parallel: recipients, ids).
create function nudged.end_occurrences(recipients uuid[], occurrences uuid[]) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$
declare in_time bigint; tried uuid[]; taken uuid[];
begin
    taken := nudged.take_back_reminders(recipients, occurrences, 'cancelled');
    -- What is left of a nudge whose outcome is unknown or deferred. In this snapshot, a closed intent is settled.
    select array_agg(w.id) into tried
    from unnest(recipients, occurrences) as w (user_id, id)
    join nudged.person p on p.user_id = w.user_id where p.retry::text like '%' || w.id::text || '%';
    select count(*) filter (where n.id is not null and t.id is null) into in_time
    from unnest(occurrences) as w (id) left join unnest(taken) as n (id) on n.id = w.id left join unnest(tried) as t (id) on t.id = w.id;
    return nudged.result_of(done => in_time, too_late => coalesce(cardinality(occurrences), 0) - in_time);
end $$;

-- Moves what is pending of a reminder to `until`. A series goes on as it was: an occurrence that is later than `until`
-- stays, and the one before it comes once more at `until`. With a recipient, only theirs moves, as their own choice; the
-- fan-out stays. done: nothing of it comes before `until`. too_late: a push is on its way. Both 0: nothing is pending.
create function nudged.snooze(call text, recipient uuid, id uuid, until timestamptz) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    instant constant timestamptz := nudged.whole_second(until at time zone 'UTC') at time zone 'UTC';
    recipients uuid[]; pending nudged.occurrence[]; later nudged.occurrence[]; ids uuid[]; taken uuid[]; missed integer;
begin
    if nudged.refuse(call, case
        when snooze.id is null then array['id is null', 'Give the reminder''s id, as the call that set it returned it.']
        when until is null or not isfinite(until) or instant < now() or instant > now() + interval '100 years' then array[
            'until is null, in the past or more than 100 years away', 'Give a time in the future, within 100 years.']
    end) then end if;
    if nudged.refuse(call, nudged.isolation_fault('the reminder')) then end if;
    recipients := nudged.hold_reminder(snooze.id, recipient);
    -- A later snapshot: it sees what the line above waited for. The zone of a wall time is not known here, so wakes_at
    -- is used: the earliest instant that it can be.
    select array_agg(o) filter (where not w.is_later), array_agg(o) filter (where w.is_later), coalesce(array_agg(o.id) filter (where not w.is_later), '{}')
    into pending, later, ids
    from nudged.occurrence o cross join lateral (select o.recurrence is not null and o.wakes_at > instant as is_later) w
    where o.reminder_id = snooze.id and o.user_id = any (recipients) and (recipient is null or not o.is_fan_out);
    if pending is null and later is null then
        -- The recipient was told by a fan-out, and its next occurrence is a fan-out again.
        select array_agg(o) into later
        from nudged.occurrence o
        where o.reminder_id = snooze.id and o.is_fan_out and o.recurrence is not null and o.wakes_at > instant and recipient = any (recipients)
          and exists (
              select 1 from nudged.subject_member m
              where m.subject_type = o.subject_type and m.subject_id = any (nudged.subject_spellings(o.subject_id)) and m.user_id = recipient
          );
    end if;
    if pending is null and later is null then return nudged.result_of(snooze.id, 0); end if;
    taken := nudged.take_back_reminders((select array_agg(o.user_id) from unnest(pending) as o), ids, null);
    insert into nudged.occurrence (
        user_id, id, reminder_id, author_id, subject_type, subject_id, title, body, apns, due_at, timezone, is_fan_out, fan_out_after, is_own, recurrence, number,
        first_at, first_local, planned_local
    )
    select
        o.user_id, nudged.occurrence_id(o.reminder_id), o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.apns, instant, o.timezone, o.is_fan_out, o.fan_out_after,
        o.is_own or recipient is not null, o.recurrence, o.number, o.first_at, o.first_local, o.planned_local
    from unnest(pending) as o where o.id = any (taken)
    union all select
        coalesce(recipient, o.user_id), nudged.occurrence_id(o.reminder_id), o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.apns, instant, o.timezone,
        o.is_fan_out and recipient is null, null, o.is_own or recipient is not null, null, greatest(o.number - 1, 1), null, null, null
    from unnest(later) as o
    -- A repetition from an earlier snooze was moved already.
    where not exists (select 1 from unnest(pending) as p where p.user_id = o.user_id and p.is_fan_out = o.is_fan_out);
    insert into nudged.touched (user_id) select distinct coalesce(recipient, o.user_id) from unnest(pending || later) as o;
    -- Of several recipients, some may be told before.
    missed := (cardinality(ids) > coalesce(cardinality(taken), 0))::integer;
    return nudged.result_of(snooze.id, 1 - missed, missed);
end $$;

-- Locks a reminder, as setting, cancelling, fanning out and erasing do. Locks the recipients against erasure: one, or
-- all who have something pending. Otherwise an erasure could take the row locks of nudged_api.snooze_reminder for an intent's,
-- or miss the rows that it writes. Returns the recipients, or none if the reminder does not exist.
create function nudged.hold_reminder(reminder uuid, recipient uuid) returns uuid[] language plpgsql set search_path = pg_catalog, pg_temp as $$
declare author constant uuid := (select o.author_id from nudged.occurrence o where o.reminder_id = reminder limit 1);
begin
    if recipient is not null then
        perform 1 from nudged.reminder r where r.user_id = author and r.id = reminder for share;
    else
        -- For all recipients: two such snoozes run one after the other, and wait for a page of a fan-out.
        perform 1 from nudged.reminder r where r.user_id = author and r.id = reminder for no key update;
    end if;
    if not found then return '{}'; end if;
    return array(select nudged.hold_recipients(case when recipient is not null then array[recipient] else array(
        select distinct o.user_id from nudged.occurrence o where o.reminder_id = reminder
    ) end));
end $$;

-- For a trigger on a table of the app: cancels a subject's reminders when its row is deleted, archived, gets another id
-- or loses its date. Arguments: the subject type, the column of the id, the column that says what is archived (true, or
-- an instant) and the column of the date. The last two may be missing, and the third may be empty.
create function nudged_api.cancel_subject_reminders() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    was text; remains text; was_archived text; is_archived text;
    loses_date boolean := false;
    no constant text[] := '{"",0,f,false,n,no,off}';
begin
    if nudged.refuse('nudged_api.cancel_subject_reminders', case
        when tg_nargs not between 2 and 4 or tg_when <> 'AFTER' or tg_level <> 'ROW' or tg_op not in ('DELETE', 'UPDATE') then array[
            'wrong kind of trigger, or wrong number of arguments',
            'Its arguments are the subject type, the column of the id, the column that says what is archived (or an empty text), and the column of the date.']
    end) then end if;
    was := nudged.column_text(old, tg_argv[1]);
    if tg_op = 'UPDATE' then
        remains := nudged.column_text(new, tg_argv[1]);
        if tg_nargs >= 3 and tg_argv[2] <> '' then
            was_archived := lower(btrim(nudged.column_text(old, tg_argv[2])) collate "C");
            is_archived := lower(btrim(nudged.column_text(new, tg_argv[2])) collate "C");
        end if;
        if tg_nargs = 4 then
            loses_date := nudged.column_text(old, tg_argv[3]) is not null and nudged.column_text(new, tg_argv[3]) is null;
        end if;
        if was is not distinct from remains and not loses_date
            and (coalesce(is_archived, 'f') = any (no) or coalesce(was_archived, 'f') <> all (no))
        then
            return null;
        end if;
    end if;
    if was is not null then perform nudged.end_reminders(tg_argv[0], nudged.subject_key(was)); end if;
    return null;
end $$;

-- A column of a row, as its type writes it. No cast is used: the table's owner may have made one, which would run with
-- the trigger's rights. A name that is no column is refused, since it would be a function call.
create function nudged.column_text(whole anyelement, name text) returns text language plpgsql set search_path = pg_catalog, pg_temp as $$
declare written text;
begin
    if not exists (
        select from pg_type t join pg_attribute a on a.attrelid = t.typrelid
        where t.oid = pg_typeof(column_text.whole) and a.attname = column_text.name and a.attnum > 0 and not a.attisdropped
    ) then
        if nudged.refuse('nudged_api.cancel_subject_reminders', array[format('the table has no column %I', name),
            'Name the columns of the id, of what is archived and of the date as the table has them.', '42703']) then end if;
    end if;
    execute format('select case when ($1).%1$I is not null then pg_catalog.format(''%%s'', ($1).%1$I) end', name) using column_text.whole into written;
    return written;
end $$;

select nudged.describe('nudged.subject_member', 'The members of a subject, who are told by reminders for everyone. Redefine it over your own tables with "create or replace view". The daemon reads it when a reminder is due.',
    'user_id', 'A user who is told about it.');
comment on table nudged.reminder is 'The reminders that exist: one per author and subject. nudged_api.set_reminder writes it. nudged.occurrence holds the texts and times.';
select nudged.describe('nudged.occurrence', 'What is pending of reminders: one row per recipient and time. nudged_api.set_reminder, nudged_api.snooze_reminder and the daemon write it.',
    'user_id', 'The user who is told. For a reminder for everyone that is not due yet: the author.',
    'id', 'Identifies this occurrence, as nudged.delivery.key does.',
    'reminder_id', 'The reminder''s id. The row counts only while nudged.reminder has it.', 'author_id', 'The user who set the reminder.',
    'apns', 'How the phone shows it: the argument apns. Null: a text with the default sound.',
    'due_at', 'When it is due, as an instant. Null: see due_local.',
    'due_local', 'When it is due, as a wall time in "timezone", or in the recipient''s own zone if that is null.',
    'timezone', 'The zone of due_local and of the recurrence. Null: the recipient''s own.',
    'is_fan_out', 'Whether it is for everyone: when it is due it becomes one row per member of the subject.',
    'fan_out_after', 'The last member who has a row already. Null: none.',
    'is_own', 'Whether the recipient chose the time. Then quiet hours don''t hold it.',
    'recurrence', 'The recurrence rule (RFC 5545). Null: it comes once.', 'number', 'The place in the series, from 1.',
    'first_at', 'The series'' first time, as an instant. Null: see first_local, or it comes once.',
    'first_local', 'The series'' first time, as a wall time. Null: see first_at, or it comes once.',
    'planned_local', 'The wall time of this occurrence by the rule. A snooze doesn''t change it.',
    'restored_at', 'When a backup was restored. If it was due before, it may have been sent since the backup, and is dropped.',
    'wakes_at', 'The earliest instant at which it can be due in any zone.');
comment on function nudged_api.cancel_subject_reminders is 'For a row trigger on your table: cancels a subject''s reminders when its row is deleted, archived, gets another id or loses its date (docs/SQL.md).';
