-- What an app reads and cancels; a user's zone, language and preferences; what happens when a user is deleted.

-- Pages: `after` is where the last one ended, `most` how many rows. Every page reads one user's rows by an index.
create function nudged.check_page(call text, recipient uuid, most integer) returns boolean
language sql set search_path = pg_catalog, pg_temp return nudged.refuse(call, case
    when recipient is null then array['user_id is null', 'Name the user.']
    when most is null or most not between 1 and 1000 then array[
        'most is not between 1 and 1000', 'Give the number of rows of a page. For the next page, give after the place of the last row.'] end);

-- Refuses what is no place: nudged's functions return places as texts.
create function nudged.check_place(call text, is_place boolean) returns boolean language sql set search_path = pg_catalog, pg_temp
return nudged.refuse(call, case when is_place is not true then array[
    'after is not a place', 'Give the column place of the last row, or null for the first page.'] end);

-- A row's place in the record: microseconds, kind, key, device. Nulls for null.
create function nudged.record_place(call text, place text, out at timestamptz, out kind text, out key text, out device text)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare parts constant text[] := case when octet_length(place) <= 600 then regexp_match(place, '^([0-9]{1,17}) ([^ ]{1,32}) (.*) ([^ ]*)$') end;
begin
    if nudged.check_place(call, place is null or parts is not null) then end if;
    at := timestamptz '1970-01-01 00:00:00Z' + parts[1]::bigint * interval '1 microsecond';
    kind := parts[2];
    key := parts[3];
    device := parts[4];
end $$;

-- A user's rows of the record before a place, the newest first.
create function nudged.read_record(call text, recipient uuid, after text, most integer) returns table (
    place text, at timestamptz, kind text, key text, device text, outcome text, reason text, status smallint
) language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare edge record;
begin
    edge := nudged.record_place(call, after);
    return query select
        format('%s %s %s %s', (extract(epoch from d.attempted_at) * 1000000)::bigint, d.kind, d.key, d.device_hash), d.attempted_at, d.kind, d.key,
        d.device_hash, d.outcome, d.reason, d.status
    from nudged.delivery d where d.user_id = recipient
      -- The first condition excludes partitions. The second one can't.
      and d.attempted_at <= coalesce(edge.at, 'infinity')
      and (edge.at is null or (d.attempted_at, d.kind, d.key, d.device_hash) < (edge.at, edge.kind, edge.key, edge.device))
    order by d.attempted_at desc, d.kind desc, d.key desc, d.device_hash desc limit most;
end $$;

-- A user's pending occurrences whose reminder exists, in the order of their ids. fan_outs: also those for everyone that
-- the user has set and that are not due yet. The reminder may be on another machine, so it is read by itself.
create function nudged.live_occurrences(recipient uuid, after uuid, most integer, fan_outs boolean) returns setof nudged.occurrence
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    batch nudged.occurrence[]; alive uuid[];
    place uuid := coalesce(after, '00000000-0000-0000-0000-000000000000');
    wanted integer := most;
    returned integer;
begin
    while wanted > 0 loop
        batch := array(select o from nudged.occurrence o where o.user_id = recipient and o.id > place and (fan_outs or not o.is_fan_out) order by o.id limit most);
        exit when cardinality(batch) = 0;
        alive := array(
            select r.id from nudged.reminder r
            where r.user_id = any (array(select b.author_id from unnest(batch) as b)) and r.id = any (array(select b.reminder_id from unnest(batch) as b))
        );
        return query select b.* from unnest(batch) as b where b.reminder_id = any (alive) order by b.id limit wanted;
        get diagnostics returned = row_count;
        wanted := wanted - returned;
        place := batch[cardinality(batch)].id;
        exit when cardinality(batch) < most;
    end loop;
end $$;

-- A user's record, the newest first, or (id) what became of a message or reminder. `id` is that of a message, of a
-- reminder (then all its occurrences count) or of an occurrence, as nudged.occurrence_id makes it. First what is not in
-- the record yet (outcome and place waiting or sending), on the first page only. Then the record, the newest first. It
-- searches the user's newest 20,000 rows of the record: the record has no index for ids.
create function nudged.read_history(call text, recipient uuid, id uuid default null, after text default null, most integer default 100) returns table (
    place text, at timestamptz, kind text, key text, device text, outcome text, reason text, status smallint
) language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    half constant text := left(read_history.id::text, 18);
    is_pending constant boolean := exists (select from nudged.occurrence o where o.user_id = recipient and o.id = read_history.id);
    edge record;
begin
    if nudged.check_page(call, recipient, most) then end if;
    if read_history.id is null then
        edge := nudged.record_place(call, after);
        return query select * from nudged.read_record(call, recipient, after, most);
        return;
    end if;
    edge := nudged.record_place(call, case when after not in ('waiting', 'sending') then after end);
    if after is null then
        return query with pending as (
            select 'message' as kind, m.id::text as key from nudged.message m where m.user_id = recipient and m.id = read_history.id
            union all
            select 'reminder', o.id::text from nudged.live_occurrences(recipient, (half || '-0000-000000000000')::uuid, 100, false) o
            where read_history.id in (o.id, o.reminder_id)
        )
        select s.state, null::timestamptz, w.kind, w.key, '', s.state, null::text, null::smallint
        from pending w cross join lateral (
            select case when exists (select from nudged.on_their_way(array[recipient], array[w.key::uuid])) then 'sending' else 'waiting' end as state
        ) s;
    end if;
    return query select r.place, r.at, r.kind, r.key, r.device, r.outcome, r.reason, r.status from (
        -- Other occurrences have the same first half. With the id of one occurrence, only that one counts.
        select n.*, bool_or(n.key = read_history.id::text) over () as is_exact
        from nudged.read_record(call, recipient, null, 20000) n
        where n.key = read_history.id::text or n.kind = 'reminder' and starts_with(n.key, half)
    ) r
    where (r.key = read_history.id::text or not r.is_exact and not is_pending)
      and (edge.at is null or (r.at, r.kind, r.key, r.device) < (edge.at, edge.kind, edge.key, edge.device))
    order by r.at desc, r.kind desc, r.key desc, r.device desc limit most;
end $$;

-- What waits for a user: messages, and reminders whose time is to come, in the order of their ids.
create function nudged.read_waiting(call text, recipient uuid, after uuid default null, most integer default 100) returns table (
    place uuid, kind text, id uuid, title text, body text, urgent boolean, since timestamptz, due_at timestamptz, due_local timestamp, expires_at timestamptz
) language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
begin
    if nudged.check_page(call, recipient, most) then end if;
    return query select w.* from (
        (
            select m.id as place, 'message'::text, m.id, m.title, m.body, m.urgent, m.created_at, m.deliver_at, m.deliver_local, m.expires_at
            from nudged.message m
            where m.user_id = recipient and m.id > coalesce(after, '00000000-0000-0000-0000-000000000000') order by m.id limit most
        )
        union all select o.id, 'reminder', o.reminder_id, o.title, o.body, false, null, o.due_at, o.due_local, null
        from nudged.live_occurrences(recipient, after, most, false) o
    ) w order by w.place limit most;
end $$;

-- Reminders that are pending for a user, and those for everyone that the user has set: per occurrence, by id.
create function nudged.read_reminders(call text, recipient uuid, after uuid default null, most integer default 100) returns table (
    place uuid, id uuid, author uuid, subject_type text, subject_id text, title text, body text, due_at timestamptz, due_local timestamp,
    timezone text, recurrence text, audience text
) language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
begin
    if nudged.check_page(call, recipient, most) then end if;
    return query select
        o.id, o.reminder_id, o.author_id, o.subject_type, o.subject_id, o.title, o.body, o.due_at, o.due_local, o.timezone, o.recurrence,
        case when o.is_fan_out or o.author_id <> o.user_id then 'everyone' else 'me' end
    from nudged.live_occurrences(recipient, after, most, true) o order by o.id;
end $$;

-- All that nudged holds of a user, source by source. `place` is the number of the source, and a key in it.
create function nudged.read_export(call text, recipient uuid, after text default null, most integer default 100) returns table (place text, source text, content jsonb)
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    step integer := 1;
    edge text;
    wanted integer := most;
    returned integer;
    -- The app's own view may have no context.
    context constant text := case when exists (
        select from pg_attribute where attrelid = 'nudged.recipient'::regclass and attname = 'context' and not attisdropped
    ) then 'nudged.context_text(r.context)' else 'null::text' end;
    -- The tables of steps 4 to 8, and the type of the column that orders their rows.
    tables constant text[] := '{message,message_key,reminder,occurrence,touched}';
    types constant text[] := '{uuid,text,uuid,uuid,bigint}';
begin
    if nudged.check_page(call, recipient, most) then end if;
    if after is not null then
        if nudged.check_place(call, octet_length(after) <= 700 and after ~ '^([1-9]|10) ') then end if;
        step := split_part(after, ' ', 1)::integer;
        edge := substr(after, strpos(after, ' ') + 1);
        if nudged.check_place(call, case
            when step in (4, 6, 7) then edge ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            when step in (8, 10) then edge ~ '^[0-9]{1,18}$' else true end) then end if;
    end if;
    while wanted > 0 and step <= 10 loop
        -- Each source runs one query, whose rows are counted below.
        case step
        when 1 then
            return query execute format(
                'select ''1 -'', ''profile'', jsonb_build_object(
                    ''preferences'', nudged.preferences_text(r.preferences), ''timezone'', left(r.timezone::text, 256),
                    ''first_session_complete'', r.first_session_complete, ''context'', %s)
                from nudged.recipient r where r.user_id = $1 and $2 is null limit 1',
                context
            ) using recipient, edge;
        when 2 then
            return query select '2 ' || w.place, 'device', w.content from (
                select
                    -- The app's own view may have a token twice, or none.
                    format('%s %s', d.hash, to_char(row_number() over (partition by d.hash order by d.environment, d.topic, d.registered_at), 'FM000000'))
                        collate "C" as place,
                    jsonb_build_object(
                        'token', d.token, 'hash', d.hash, 'registered_at', d.registered_at, 'environment', d.environment, 'topic', d.topic) as content
                from (
                    select left(t.token::text, 512) as token, left(t.environment::text, 256) as environment, left(t.topic::text, 256) as topic,
                        t.registered_at, left(encode(sha256(convert_to(lower(left(t.token::text, 512) collate "C"), 'UTF8')), 'hex'), 16) as hash
                    from nudged.device t where t.user_id = recipient
                ) d
            ) w where edge is null or w.place > edge order by w.place limit wanted;
        when 3 then
            return query select '3 -', 'person', to_jsonb(p) from nudged.person p where p.user_id = recipient and edge is null;
        when 4, 5, 6, 7, 8 then
            return query execute format(
                'select ''%s '' || t.%I, %L, to_jsonb(t)%s from nudged.%3$I t
                where t.user_id = $1 and ($2 is null or t.%2$I > $2::%5$s) order by t.%2$I limit $3',
                step, case step when 5 then 'key' else 'id' end, tables[step - 3],
                -- With the text, which the recipients' rows hold.
                case step when 6 then ' || coalesce((
                    select jsonb_build_object(''title'', o.title, ''body'', o.body) from nudged.occurrence o where o.reminder_id = t.id limit 1
                ), ''{}'')' end,
                types[step - 3]
            ) using recipient, edge, wanted;
        when 9 then
            return query select '9 ' || r.place, 'delivery', to_jsonb(d)
            from nudged.read_record(call, recipient, edge, wanted) r
            join nudged.delivery d on d.user_id = recipient and d.attempted_at = r.at and d.kind = r.kind and d.key = r.key and d.device_hash = r.device
            order by d.attempted_at desc, d.kind desc, d.key desc, d.device_hash desc;
        else
            return query select '10 ' || w.place, w.source, w.content from (
                select row_number() over (order by n.source, n.id) as place, n.source, n.content from (
                    select 'intent' as source, i.id, jsonb_build_object('attempted_at', i.attempted_at, 'content', encode(o.content, 'hex')) as content
                    from nudged.intent i cross join lateral unnest(i.user_ids, i.contents) as o (user_id, content)
                    where recipient = any (i.user_ids) and o.user_id = recipient
                    union all select 'preview', p.id, to_jsonb(p) from nudged.preview p where p.user_id = recipient
                    union all select 'departed', g.user_id, to_jsonb(g) from nudged.departed g where g.user_id = recipient
                    union all select 'seen', s.user_id, to_jsonb(s) from nudged.seen s where s.user_id = recipient
                    union all
                    select 'surface', md5(f.surface || f.token)::uuid, to_jsonb(f) from nudged.surface f where f.user_id = recipient
                    union all select 'own_call', c.user_id, to_jsonb(c) from nudged.own_call c where c.user_id = recipient
                ) n
            ) w where w.place > coalesce(edge::bigint, 0) order by w.place limit wanted;
        end case;
        get diagnostics returned = row_count;
        wanted := wanted - returned;
        -- A page that is full may not be the source's last one.
        exit when wanted = 0;
        step := step + 1;
        edge := null;
    end loop;
end $$;

-- Cancels reminders of an author, for everyone who was to get them: one (`reminder`), those of a subject, or all. It
-- locks the reminders first, as setting, snoozing and fanning out do. So what it reads then is all that is pending.
create function nudged.end_reminders_of(author uuid, reminder uuid, subject_type text, subject_id text) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare ended uuid[]; recipients uuid[]; pending uuid[];
begin
    -- In one order, so that two calls at once for one author can't deadlock.
    ended := array(
        select r.id from nudged.reminder r
        where r.user_id = author and (reminder is null or r.id = reminder)
          and (end_reminders_of.subject_type is null or r.subject_type = end_reminders_of.subject_type and r.subject_id = end_reminders_of.subject_id)
        order by r.subject_type, r.subject_id for update
    );
    delete from nudged.reminder r where r.user_id = author and r.id = any (ended);
    select array_agg(o.user_id), array_agg(o.id) into recipients, pending from nudged.occurrence o where o.reminder_id = any (ended);
    insert into nudged.touched (user_id) select distinct u from unnest(recipients || author) as u where ended <> '{}';
    return nudged.end_occurrences(recipients, pending);
end $$;

-- Cancels the message, or else the reminder for everyone who was to get it, that has this id.
create function nudged.cancel(call text, recipient uuid, id uuid) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$
declare ended nudged.result;
begin
    if nudged.refuse(call, case
        when recipient is null then array['user_id is null', 'Name the user whom the message is for, or who set the reminder.']
        when cancel.id is null then array['id is null', 'Give the id that the call returned that sent the message or set the reminder.']
        else nudged.isolation_fault('the nudge') end) then end if;
    ended := nudged.cancel_message(recipient, cancel.id);
    if ended.done + ended.too_late = 0 then ended := nudged.end_reminders_of(recipient, cancel.id, null, null); end if;
    -- Of a reminder's recipients, some may have been told.
    return nudged.result_of(cancel.id, (ended.done > 0 and ended.too_late = 0)::integer, (ended.too_late > 0)::integer);
end $$;

-- Cancels the nudge that has this id, as nudged.cancel does. If a phone may have it, a message tells the app to take it off
-- the screen, once. `id`: the payload's `nudge`, or that of a message or reminder. A reminder's own id means the newest of
-- its pushes to this user. As for answers, a week of the record is read.
create function nudged.withdraw(call text, recipient uuid, id text) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    name constant text := lower(withdraw.id collate "C") collate "default";
    ended nudged.result := nudged.result_of(done => 0);
    nudge text;
begin
    if nudged.refuse(call, case
        when recipient is null then array['user_id is null', 'Name the user who got the nudge.']
        when name is null or name !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then array[
            'id is not valid', 'Give the payload''s "nudge", or the id that send or set_reminder returned.'] end) then end if;
    if octet_length(name) = 36 then ended := nudged.cancel(call, recipient, name::uuid); end if;
    select d.key into nudge from nudged.delivery d
    where d.user_id = recipient and (d.key = name or d.kind = 'reminder' and starts_with(d.key, left(name, 18)))
      and d.outcome in ('accepted', 'unknown') and d.attempted_at > clock_timestamp() - interval '7 days'
    order by d.key = name desc, d.attempted_at desc limit 1;
    -- On its way, it is not in the record yet.
    nudge := coalesce(nudge, case when ended.too_late > 0 then name end);
    if nudge is not null and not exists (select from nudged.message_key k where k.user_id = recipient and k.key = 'nudged.withdraw ' || nudge) then
        perform nudged.insert_messages(array[row(
            recipient, '', '', null, false, null, null, null, now() + interval '7 days', 'nudged.withdraw ' || nudge,
            jsonb_build_object('withdraw', nudge), null, null, null
        )::nudged.new_message]);
        ended.too_late := 1;
    end if;
    return ended;
end $$;

-- Cancels the reminders that a user has set, for all recipients: of a subject, or all. recipient null: of all users.
create function nudged.cancel_reminders(
    call text, recipient uuid default null, subject_type text default null, subject_id text default null
) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    if nudged.refuse(call, case
        when num_nonnulls(recipient, subject_type, subject_id) = 0 then array[
            'no argument is given', 'Give the user who set the reminders, or their subject_type and subject_id.']
        when num_nonnulls(subject_type, subject_id) = 1 then array[
            format('%s is null', case when subject_type is null then 'subject_type' else 'subject_id' end),
            'Give both subject_type and subject_id, or none for all subjects.']
        when octet_length(subject_type) > 100 then array['subject_type is longer than 100 bytes', 'Give it as the reminder was set.']
        when octet_length(subject_id) > 200 then array['subject_id is longer than 200 bytes', 'Give it as the reminder was set.']
        else nudged.isolation_fault('the reminder') end) then end if;
    return case when recipient is null then nudged.end_reminders(subject_type, subject_id)
        else nudged.end_reminders_of(recipient, null, subject_type, subject_id) end;
end $$;

-- Whether nudged_writer may write public.context_profiles: nudged created it, or its owner has allowed it.
create function nudged.may_write_profiles() returns boolean language sql stable set search_path = pg_catalog, pg_temp return exists (
    select from nudged.role_right r
    where r.role = 'nudged_writer' and r.object = 'public.context_profiles' and r.privileges like '%insert%' and r.privileges like '%update%'
);

-- Writes a user's zone and language into their profile, where they differ: the columns timezone and nudge_context, if
-- the table has them. Null: stays as it is. A value that the table refuses is left out.
create function nudged.write_place(recipient uuid, timezone text, locale text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set quote_all_identifiers = off set row_security = on as $$
declare types jsonb;
begin
    select jsonb_object_agg(a.attname, format_type(a.atttypid, null)) into types
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relname = 'context_profiles' and a.attnum > 0 and not a.attisdropped;
    if timezone is not null and types ? 'timezone' then
        begin
            execute format(
                'update public.context_profiles p set timezone = $2::%s where p.user_id = $1 and p.timezone::text is distinct from $2', types ->> 'timezone')
            using recipient, timezone;
            if not exists (select from public.context_profiles p where p.user_id = recipient) then
                execute format('insert into public.context_profiles (user_id, timezone) values ($1, $2::%s)', types ->> 'timezone') using recipient, timezone;
            end if;
        exception
            when data_exception or integrity_constraint_violation then null;
            -- A trigger of the app may raise anything.
            when others then raise warning 'register_device: the profile does not take the zone (SQLSTATE %)', sqlstate;
        end;
    end if;
    if locale is not null and types ->> 'nudge_context' = 'jsonb' then
        begin
            update public.context_profiles p set nudge_context = coalesce(p.nudge_context, '{}') || jsonb_build_object('locale', locale)
            where p.user_id = recipient and coalesce(jsonb_typeof(p.nudge_context), 'object') = 'object'
              and p.nudge_context ->> 'locale' is distinct from locale;
            if not exists (select from public.context_profiles p where p.user_id = recipient) then
                insert into public.context_profiles (user_id, nudge_context) values (recipient, jsonb_build_object('locale', locale));
            end if;
        exception
            when data_exception or integrity_constraint_violation then null;
            when others then raise warning 'register_device: the profile does not take the language (SQLSTATE %)', sqlstate;
        end;
    end if;
end $$;

-- Writes a user's preferences. An error of the table is reported without the row, which the server's DETAIL would show.
create function nudged.write_preferences(recipient uuid, preferences jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = on as $$
declare type text; known integer; state text; error_text text; broken text;
begin
    select format_type(a.atttypid, null) into type
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relname = 'context_profiles' and a.attname = 'notification_preferences' and not a.attisdropped;
    for attempt in 1..2 loop
        begin
            execute format('update public.context_profiles p set notification_preferences = $2::%s where p.user_id = $1', type) using recipient, preferences;
            get diagnostics known = row_count;
            if known = 0 then
                execute format('insert into public.context_profiles (user_id, notification_preferences) values ($1, $2::%s)', type) using recipient, preferences;
            end if;
            return;
        exception
            when others then
                get stacked diagnostics state = returned_sqlstate, error_text = message_text, broken = constraint_name;
                -- The app itself wrote this row meanwhile, so it is there now.
                if state <> '23505' or attempt = 2 then
                    raise exception using
                        errcode = state, constraint = broken, schema = 'public', table = 'context_profiles',
                        message = 'set_preferences: ' || error_text,
                        hint = 'nudged_writer must be able to insert and update user_id and notification_preferences in public.context_profiles';
                end if;
        end;
    end loop;
end $$;

create function nudged_me.preferences() returns jsonb language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    recipient constant uuid := nudged.signed_in_user();
    size bigint; kept jsonb; fault text;
begin
    -- Sizes first: nothing is expanded without a bound.
    select pg_column_size(r.preferences) into size from nudged.recipient r where r.user_id = recipient limit 1;
    if size <= 270000 then
        -- The column may be text, too. A value of jsonb is not written as text here.
        select r.preferences::jsonb into kept from nudged.recipient r where r.user_id = recipient limit 1;
        -- The size without compression.
        size := pg_column_size(kept || '{}');
    end if;
    fault := case
        when size > 270000 then 'have more than 262144 bytes'
        when jsonb_path_exists(kept, '$.**{513}') then 'are nested more than 512 levels deep'
        -- As text, such a number of a few bytes would have 131,072 digits.
        when nudged.has_long_number(kept) then 'hold a number of more than 100 digits'
    end;
    if nudged.refuse('nudged_me.preferences', case when fault is not null then array[
        'the preferences ' || fault, 'Write others with nudged_me.set_preferences.', '54000'] end) then end if;
    return kept;
exception when data_exception or statement_too_complex then
    raise invalid_parameter_value using message = 'nudged_me.preferences: the preferences are no JSON', hint = 'Write them with nudged_me.set_preferences.';
end $$;

-- Null: as if the user had never chosen.
create function nudged_me.set_preferences(preferences jsonb) returns nudged.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    recipient constant uuid := nudged.counted_user('nudged_me.set_preferences');
    fault constant text := case
        when pg_column_size(preferences) > 262144 then 'preferences: more than 262144 bytes, wanted fewer'
        else nudged_api.preferences_fault(preferences) end;
begin
    if nudged.refuse('nudged_me.set_preferences', case
        when fault is not null then array[fault, 'docs/POLICY.md, "Preferences", has the keys.']
        when not nudged.may_write_profiles() then array['nudged may not write the profiles',
            'Write that table yourself. For public.context_profiles, its owner can let nudged write: select nudged.allow(''nudged_writer'', ''select, insert, update'', ''public.context_profiles'').',
            '0A000']
    end) then end if;
    -- JSON's null is no value.
    perform nudged.write_preferences(recipient, nullif(preferences, 'null'));
    return nudged.result_of();
end $$;

-- Whether the decision service (docs/DECISION.md) is in use, for the app's settings: active; resting (users' fallback
-- strategies decide, since it does not answer); off (none is configured, or no daemon runs).
create function nudged_me.status() returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin
    perform nudged.signed_in_user();
    return (
        select case when bool_or(d.state #>> '{decision,state}' = 'active') then 'active' when count(*) > 0 then 'resting' else 'off' end
        from nudged.daemon d where d.seen_at > statement_timestamp() - interval '30 seconds' and d.state #>> '{decision,state}' is not null
    );
end $$;

-- Erases a user who was deleted from auth.users: the rows in the tables that nudged created, and all of schema nudged.
-- The rows in the app's own tables are the app's. Returns whether all are erased. If a row in those tables can't
-- be deleted (a foreign key of the app, a lock), the rows of schema nudged are still deleted.
create function nudged.erase_deleted(recipient uuid) returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    relation text;
    is_kept boolean := false;
begin
    for relation in select o.name from nudged.own_table o where to_regclass(format('public.%I', o.name)) is not null order by o.name desc loop
        begin
            if nudged.keeps_rows(relation, recipient) then is_kept := true; end if;
        exception when others or assert_failure or query_canceled then
            is_kept := true;
            raise warning 'nudged: a deleted user''s rows in public.% stay for now (SQLSTATE %)', relation, sqlstate;
        end;
    end loop;
    perform nudged.erase(recipient);
    return not is_kept;
end $$;

-- Deletes a user's rows of a table in schema public, as nudged_writer. Returns whether one is left (a trigger).
create function nudged.keeps_rows(relation text, recipient uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = on as $$
declare is_kept boolean;
begin
    execute format('delete from public.%I where user_id = $1', relation) using recipient;
    execute format('select exists (select from public.%I where user_id = $1)', relation) into is_kept using recipient;
    return is_kept;
end $$;

-- Trigger on auth.users. It only leaves notes, so the deletion neither waits (unless the owner has locked the table) nor
-- fails because of nudged, even if a trigger of the app stops the erasure. The touch stops earlier decisions.
create function nudged.note_deleted_users() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$ begin
    begin
        insert into nudged.departed (user_id) select nudged.written_id(g.id) from gone g;
    exception when others or assert_failure or query_canceled then
        raise warning 'nudged: deleted users are not erased (SQLSTATE %): call nudged_api.forget for each', sqlstate;
    end;
    begin
        insert into nudged.touched (user_id) select nudged.written_id(g.id) from gone g;
    exception when others or assert_failure or query_canceled then null;
    end;
    return null;
end $$;

-- Whether a user is in auth.users. No code of its owner may run with nudged's rights: no view, cast or policy.
create function nudged.has_account(recipient uuid) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp set row_security = off as $$ begin
    if not exists (
        select from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'id' and a.atttypid = 'uuid'::regtype
        where c.oid = to_regclass('auth.users') and c.relkind = 'r'
    ) then
        return false;
    end if;
    -- A statement of its own: planning runs immutable functions.
    return exists (select from auth.users u where u.id = recipient);
exception when insufficient_privilege or invalid_schema_name or undefined_table then
    -- The trigger saw the deletion.
    return false;
end $$;

create function nudged.erase_departed(out erased bigint, out held bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare note record;
begin
    erased := 0;
    held := 0;
    for note in select d.user_id, d.id, d.is_erased from nudged.departed d where d.due_at <= clock_timestamp() order by d.due_at limit 1000 loop
        exit when clock_timestamp() > statement_timestamp() + interval '500 milliseconds';
        -- Another daemon erases this user now.
        perform 1 from nudged.departed d where d.user_id = note.user_id and d.id = note.id for update skip locked;
        continue when not found;
        begin
            -- Somebody may have brought the user back, with the same id.
            if nudged.has_account(note.user_id) then
                delete from nudged.departed d where d.user_id = note.user_id and d.id = note.id;
                continue;
            elsif nudged.erase_deleted(note.user_id) then
                if note.is_erased then
                    delete from nudged.departed d where d.user_id = note.user_id and d.id = note.id;
                else
                    update nudged.departed d set is_erased = true, due_at = clock_timestamp() + interval '1 day'
                    where d.user_id = note.user_id and d.id = note.id;
                end if;
                erased := erased + 1;
                continue;
            end if;
        -- A trigger of the app may raise anything, or sleep until the daemon's time-out.
        exception when others or assert_failure or query_canceled then
            raise warning 'nudged: a deleted user is not erased yet (SQLSTATE %)', sqlstate;
        end;
        -- Users who can't be erased must not delay the others.
        update nudged.departed d set due_at = clock_timestamp() + interval '10 minutes' where d.user_id = note.user_id and d.id = note.id;
        held := held + 1;
    end loop;
end $$;

create function nudged.watch_deleted_users() returns boolean language sql set search_path = pg_catalog, pg_temp as $$
    select nudged.bind_triggers();
    select exists (select from nudged.wanted_triggers() w where w.relation = 'auth.users' and w.enabled is not null);
$$;
select nudged.watch_deleted_users();

-- What nudged's views and triggers are not bound to and should be: one row per view or trigger. is_fixable: nudged.bind
-- can do it. stops: the daemon would read the wrong users, devices or members.
create function nudged.binding_faults() returns table (object text, fault text, is_fixable boolean, stops boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select
        'nudged.' || v.view,
        case when v.oid is null then 'does not exist'
            when v.lost is not null then format('reads %s. Another table or column is called %s now', t.tables, v.lost)
            else format('reads %s, which was renamed. nudged''s functions write public.%s', t.tables, v.relation) end,
        (v.oid is null or v.lost is not null) and (v.known).definition is not null and to_regclass('public.' || v.relation) is not null,
        v.lost is not null and v.oid is not null
    from nudged.app_views() v
    cross join lateral (select string_agg(distinct array_to_string((parse_ident(n))[1:2], '.'), ', ') as tables from unnest(v.names) as n) t
    where v.oid is null or v.version = (v.known).version and (v.lost is not null or v.names <> (v.known).names and (v.known).definition is not null)
    union all
    select format('%s on %s', w.name, w.relation), format('%s: %s', case when w.enabled is null then 'is missing' else 'does not fire' end, w.loss), true, false
    from nudged.wanted_triggers() w
    where w.enabled not in ('O', 'A') or w.enabled is null and (w.relation <> 'auth.users' or has_table_privilege(w.oid, 'trigger'))
$$;

create function nudged.bind() returns setof text language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    return query select nudged.bind_views();
    if to_regclass('nudged.device') is not null then
        perform nudged.make_quarantined();
        -- It depends on the app's view, and goes with it.
        if to_regprocedure('nudged.forget_device(uuid, text, text, text, timestamptz)') is null then
            perform nudged.define_forget_device();
            return next 'nudged.forget_device deletes from nudged.device';
        end if;
    end if;
    return query select nudged.bind_triggers();
    perform nudged.grant_roles();
end $$;

select nudged.make_calls('waiting', 'nudged.read_waiting', false, 'What waits for %s: messages and reminders.');
select nudged.make_calls('history', 'nudged.read_history', false,
    'The record of %s, the newest first, or what became of one message or reminder (id): one row per device and attempt.');
select nudged.make_calls('export', 'nudged.read_export', false, 'All that nudged holds of %s.');
select nudged.make_calls('list_reminders', 'nudged.read_reminders', false, 'The pending reminders of %s.');
select nudged.make_calls('cancel', 'nudged.cancel', true,
    'Cancels a message of %s, or a reminder that they set, by its id. done: it was in time, and nothing more of it is sent.');
select nudged.make_calls('withdraw', 'nudged.withdraw', true,
    'Cancels a nudge of %s. If a phone may have it, the app is told to take it off the screen: id is the payload''s "nudge", or the message''s. done: it was in time. too_late: the app is told.');
select nudged.make_calls('cancel_reminders', 'nudged.cancel_reminders', true,
    'Cancels the reminders that %s has set: of a subject, or all. For a backend, no user means all users of the subject.');
select nudged.make_calls('seen', 'nudged.see', false,
    'Says that %s is active in the app now. Call it as often as you like: it writes at most once a minute. done: 1 if it wrote.');
select nudged.allow('authenticated', 'execute', 'nudged_me.preferences', 'nudged_me.set_preferences', 'nudged_me.status');
-- The profiles that nudged created. For a table of the app's own, its owner says so (docs/TABLES.md).
select nudged.allow('nudged_writer', 'select, insert, update, delete', 'public.context_profiles') from nudged.own_table where name = 'context_profiles';
select nudged.allow('nudged_writer', 'own', 'nudged.write_place', 'nudged.write_preferences', 'nudged.keeps_rows');
select nudged.allow('nudged_daemon', 'execute', 'nudged.binding_faults', 'nudged.is_misbound', 'nudged.erase_departed');
select nudged.allow('nudged_daemon', 'select', 'nudged.departed');
select nudged.grant_roles();

comment on function nudged.write_place is 'Writes a user''s zone and language into public.context_profiles. Redefine it if the profiles are in another table.';
comment on function nudged.write_preferences is 'Writes a user''s preferences into public.context_profiles. Redefine it if the profiles are in another table.';
comment on function nudged_me.preferences is 'The signed-in user''s preferences. Null: the user chose nothing.';
comment on function nudged_me.set_preferences is 'Writes the signed-in user''s preferences, if they have no fault.';
comment on function nudged_me.status is 'Whether the decision service is in use: active, resting or off.';
comment on function nudged.bind is 'Binds nudged''s views and triggers to the tables that have nudged''s names now. Returns what it did. "nudged migrate" calls it.';
-- A backend may give more than the signed-in user.
comment on function nudged_me.snooze_reminder is 'Moves what is pending of a reminder for the signed-in user. done: nothing is sent before then.';
comment on function nudged_me.cancel_reminders is 'Cancels the reminders that the signed-in user has set: of a subject, or all.';
comment on function nudged_me.cancel_messages is 'Cancels messages that wait for the signed-in user: by category, thread, the beginning of their dedupe_key, or all.';
comment on function nudged.forget_devices is 'Deletes tokens that Apple has answered with 410, if the record holds that answer. The daemon calls it.';
comment on function nudged.erase_departed is 'Erases deleted users who are due in nudged.departed. Returns how many, and how many it could not. The daemon calls it.';
comment on function nudged.watch_deleted_users is 'Makes the trigger on auth.users, if that table exists. Returns whether the trigger is there.';

-- Columns that mean the same in each table and view.
do $$
declare one record;
begin
    for one in
        select format('comment on column nudged.%I.%I is %L', c.relname, a.attname, w.what) as statement
        from (values
            ('user_id', 'The user''s id.'), ('kind', 'check_in, message or reminder.'), ('title', 'The title.'), ('body', 'The text.'),
            ('context', 'A JSON object that fills the placeholders of nudged.template, or null.'),
            ('key', 'The check-in''s date, or the id of the message or of the reminder''s occurrence.'),
            ('urgent', 'Whether it passes quiet hours, if the user allows that.'), ('expires_at', 'When it is dropped. Null: never.'),
            ('subject_type', 'The kind of thing, such as task.'), ('subject_id', 'Its id, as text.'),
            ('token', 'The device token, in hexadecimal digits.'), ('device_hash', 'A hash of the device token, as in nudged.delivery.'),
            ('registered_at', 'When the app last presented the token.'),
            ('environment', 'sandbox or production. Null: unknown, so nudged tries both.'),
            ('topic', 'The APNs topic (bundle id). Null: the one in the daemon''s configuration.')
        ) as w (name, what)
        join pg_attribute a on a.attname = w.name and not a.attisdropped
        join pg_class c on c.oid = a.attrelid and c.relnamespace = 'nudged'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
        where col_description(c.oid, a.attnum) is null and c.relname not in ('message_key', 'touched')
    loop
        execute one.statement;
    end loop;
end $$;
