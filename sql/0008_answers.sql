-- Answers for people, in psql or Supabase's editor: what a user got, why somebody got nothing, what waits, which tokens
-- are gone. The daemon reads none of this. Only the owner of the schema may.

-- Whether a text is an instant as preferences have it, such as 2026-05-07T04:38:44Z, of the years 0001 to 9999.
create function nudged.is_instant(value text) returns boolean language sql immutable parallel safe set search_path = pg_catalog, pg_temp
return value ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z$'
    -- A month's last day is the day before the next month's first.
    and case when substr(value, 9, 2) <= '28' then true else
        substr(value, 9, 2)::integer <= extract(day from make_date(substr(value, 1, 4)::integer, substr(value, 6, 2)::integer, 1) + interval '1 month - 1 day')
    end;

-- What is wrong with preferences (docs/POLICY-SPEC.md, "Preferences"): the first fault, or null. A key that nudged
-- doesn't know is a fault only if it resembles a known one, since an app may keep keys of its own there. The error
-- names the key, never its value. For a CHECK constraint: so it is IMMUTABLE, and its writers need EXECUTE only.
create function nudged_api.preferences_fault(preferences jsonb) returns text
language plpgsql immutable parallel safe security definer set search_path = pg_catalog, pg_temp as $$
declare
    known_keys constant text[] := '{check_ins_enabled,frequency,timezone,check_in_time,weekday,quiet_hours_start,quiet_hours_end,quiet_hours_by_day,muted_until,'
        'priority_keywords,allow_urgent,max_per_hour,max_per_day,messages_enabled,reminders_enabled,categories,smart_enabled,max_analyses_per_hour,'
        'fallback_strategy,pause_threshold_seconds,active_conversation_threshold}';
    measured jsonb; value jsonb; one record;
begin
    if preferences is null or jsonb_typeof(preferences) = 'null' then
        return null;
    elsif jsonb_typeof(preferences) <> 'object' then
        return format('found %s, wanted an object', jsonb_typeof(preferences));
    end if;
    measured := nudged.measured_preferences(preferences)::jsonb;
    if jsonb_typeof(measured) <> 'object' then return measured #>> '{}'; end if;
    -- Few keys are checked: these are a mistake of a person, and a hostile value has thousands of keys.
    for one in
        select u.key, nudged.nearest_key(u.key, known_keys) as known
        from (select k.key from jsonb_object_keys(preferences) as k (key) where not measured ? k.key limit 5) u
    loop
        if one.known is not null and not measured ? one.known then
            return format('%s is unknown: did you mean %s?', left(one.key, 40), one.known);
        end if;
    end loop;
    for one in
        select * from (values
            ('check_ins_enabled', 'bool', null, null, 'true or false'),
            ('frequency', 'one of', '{daily,few_times_a_week,weekly}', null, 'daily, few_times_a_week or weekly'),
            ('timezone', 'string', null, null, 'a string'), ('check_in_time', 'time', null, null, 'HH:MM'),
            ('weekday', 'int', '{1,7}', null, '1 (Monday) to 7'),
            ('quiet_hours_start', 'time', null, 'quiet_hours_end', 'HH:MM'), ('quiet_hours_end', 'time', null, 'quiet_hours_start', 'HH:MM'),
            ('quiet_hours_by_day', 'days', null, null, 'an object: 1 (Monday) to 7 to start and end as HH:MM, or to null'),
            ('muted_until', 'instant', null, null, 'an instant as 2026-05-07T04:38:44Z'),
            ('priority_keywords', 'strings', null, null, 'an array of strings'),
            ('allow_urgent', 'bool', null, null, 'true or false'),
            ('max_per_hour', 'int', '{1,9223372036854775807}', null, 'an integer of 1 or more'),
            ('max_per_day', 'int', '{1,9223372036854775807}', null, 'an integer of 1 or more'),
            ('messages_enabled', 'bool', null, null, 'true or false'), ('reminders_enabled', 'bool', null, null, 'true or false'),
            ('categories', 'bools', null, null, 'an object: names to true or false'),
            -- No fault for the daemon, which takes another value for false. But nobody writes one on purpose.
            ('smart_enabled', 'bool', null, null, 'true or false'),
            ('max_analyses_per_hour', 'int', '{5,20}', null, '5 to 20'),
            ('fallback_strategy', 'one of', '{simple_rules,notify_all,suppress_all}', null, 'simple_rules, notify_all or suppress_all'),
            ('pause_threshold_seconds', 'int', '{60,300}', null, '60 to 300'), ('active_conversation_threshold', 'int', '{10,50}', null, '10 to 50')
        ) as k (key, kind, options, beside, wanted)
    loop
        value := nullif(measured -> one.key, 'null');
        if value is null then
            -- Without them nobody has opted in, and the other keys still count. One without the other is a mistake.
            if one.key = 'check_ins_enabled' and nullif(measured -> 'frequency', 'null') is not null
                or one.key = 'frequency' and measured -> 'check_ins_enabled' = 'true'
            then
                return format('%s: wanted %s', one.key, one.wanted);
            elsif nullif(measured -> one.beside, 'null') is not null then
                return format('%s: wanted %s beside %s', one.key, one.wanted, one.beside);
            end if;
        elsif not (case one.kind
            when 'bool' then jsonb_typeof(value) = 'boolean'
            when 'string' then jsonb_typeof(value) = 'string'
            when 'one of' then jsonb_typeof(value) = 'string' and value #>> '{}' = any (one.options::text[])
            when 'time' then jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'
            when 'int' then case when jsonb_typeof(value) = 'number' and value #>> '{}' ~ '^-?[0-9]{1,19}$'
                then (value #>> '{}')::numeric between (one.options::numeric[])[1] and (one.options::numeric[])[2] else false end
            when 'instant' then jsonb_typeof(value) = 'string' and nudged.is_instant(value #>> '{}')
            when 'bools' then jsonb_typeof(value) = 'object' and not jsonb_path_exists(value, '$.* ? (@.type() != "boolean")')
            when 'days' then jsonb_typeof(value) = 'object' and not exists (
                select from jsonb_each(value) d
                where d.key ~ '^[1-7]$' and jsonb_typeof(d.value) <> 'null' and not (
                    jsonb_typeof(d.value) = 'object'
                    and coalesce(jsonb_typeof(d.value -> 'start') = 'string' and d.value ->> 'start' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$', false)
                    and coalesce(jsonb_typeof(d.value -> 'end') = 'string' and d.value ->> 'end' ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$', false)
                )
            )
            else jsonb_typeof(value) = 'array' and not jsonb_path_exists(value, '$[*] ? (@.type() != "string")')
        end) then
            return format('%s: wanted %s', one.key, one.wanted);
        end if;
    end loop;
    -- No fault for the daemon, which takes the next zone. But nobody writes such a name on purpose.
    value := nullif(measured -> 'timezone', 'null');
    if value is not null and value #>> '{}' !~ '/' and value #>> '{}' not in ('UTC', 'GMT', 'UCT', 'Universal', 'Zulu', 'Greenwich') then
        return 'timezone: ' || coalesce('did you mean ' || case upper(left(value #>> '{}', 40) collate "C")
            when 'CET' then 'Europe/Berlin' when 'CEST' then 'Europe/Berlin' when 'MEZ' then 'Europe/Berlin' when 'BST' then 'Europe/London'
            when 'WET' then 'Europe/Lisbon' when 'EET' then 'Europe/Helsinki' when 'MSK' then 'Europe/Moscow' when 'IST' then 'Asia/Kolkata'
            when 'JST' then 'Asia/Tokyo' when 'KST' then 'Asia/Seoul' when 'AEST' then 'Australia/Sydney' when 'NZST' then 'Pacific/Auckland'
            when 'EST' then 'America/New_York' when 'EDT' then 'America/New_York' when 'EST5EDT' then 'America/New_York'
            when 'CST' then 'America/Chicago' when 'CDT' then 'America/Chicago' when 'MST' then 'America/Denver' when 'MDT' then 'America/Denver'
            when 'PST' then 'America/Los_Angeles' when 'PDT' then 'America/Los_Angeles' when 'HST' then 'Pacific/Honolulu'
            end || '?', 'wanted a name such as Europe/Berlin');
    end if;
    return null;
end $$;

create view nudged.nudge_history with (security_barrier) as
select
    user_id, kind, key, min(attempted_at) as first_attempt, max(attempted_at) as last_attempt,
    case when bool_or(outcome = 'accepted') then 'accepted' else (array_agg(outcome order by attempted_at desc))[1] end as outcome,
    (array_agg(reason order by attempted_at desc) filter (where reason is not null))[1] as reason,
    count(distinct device_hash) filter (where outcome = 'accepted') as devices
from nudged.delivery where outcome not in ('opened', 'helpful', 'unhelpful') group by user_id, kind, key;

-- The bounds of a share that `hits` of `tries` of so many users suggest, at 95 % (Wilson's interval). Each user counts once:
-- what one user does ten times says little of the others. Null for no tries.
create function nudged.share_bounds(hits bigint, tries bigint, users bigint, out low numeric, out high numeric)
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
    select round((w.middle - w.reach)::numeric, 4), round((w.middle + w.reach)::numeric, 4)
    from (select hits / nullif(tries, 0)::double precision as share, nullif(users, 0)::double precision as users) s
    cross join lateral (
        select
            (s.share + 1.9208 / s.users) / (1 + 3.8416 / s.users) as middle,
            1.96 * sqrt(s.share * (1 - s.share) / s.users + 0.9604 / s.users ^ 2) / (1 + 3.8416 / s.users) as reach
    ) w
$$;

-- What users did with the nudges that were sent between two instants, by kind: all of them (by and value null), by
-- template, by local hour (0 to 23) and by weekday (1 is Monday). A nudge that several devices got counts once.
create function nudged.opens(since timestamptz, until timestamptz default now()) returns table (
    kind text, by text, value integer, sent bigint, users bigint, opened bigint, opened_low numeric, opened_high numeric,
    rated bigint, raters bigint, helpful bigint, helpful_low numeric, helpful_high numeric
) language sql stable set search_path = pg_catalog, pg_temp as $$
    with nudge as (
        select
            d.user_id, min(d.kind) filter (where d.outcome in ('accepted', 'unknown')) as kind, min(d.template) as template, min(d.local_minute) as minute,
            bool_or(d.outcome = 'opened') as is_opened,
            max(d.attempted_at) filter (where d.outcome = 'helpful') as helpful_at, max(d.attempted_at) filter (where d.outcome = 'unhelpful') as unhelpful_at
        from nudged.delivery d
        where d.attempted_at >= since and d.outcome in ('accepted', 'unknown', 'opened', 'helpful', 'unhelpful')
        group by d.user_id, d.key having min(d.attempted_at) filter (where d.outcome in ('accepted', 'unknown')) < until
    ),
    answered as (
        select
            n.user_id, n.kind, n.template, n.minute / 1440 + 1 as weekday, n.minute % 1440 / 60 as hour, n.is_opened,
            num_nonnulls(n.helpful_at, n.unhelpful_at) > 0 as is_rated, coalesce(n.helpful_at > coalesce(n.unhelpful_at, '-infinity'), false) as is_helpful
        from nudge n
    ),
    counted as (
        select
            a.kind, case 0 when grouping(a.template) then 'template' when grouping(a.hour) then 'hour' when grouping(a.weekday) then 'weekday' end as by,
            coalesce(a.template, a.hour, a.weekday) as value,
            count(*) as sent, count(*) filter (where a.is_opened) as opened, count(distinct a.user_id) as users,
            count(*) filter (where a.is_rated) as rated, count(*) filter (where a.is_helpful) as helpful, count(distinct a.user_id) filter (where a.is_rated) as raters
        from answered a group by grouping sets ((a.kind), (a.kind, a.template), (a.kind, a.hour), (a.kind, a.weekday))
    )
    select c.kind, c.by, c.value, c.sent, c.users, c.opened, o.low, o.high, c.rated, c.raters, c.helpful, h.low, h.high
    from counted c cross join lateral nudged.share_bounds(c.opened, c.sent, c.users) o
    cross join lateral nudged.share_bounds(c.helpful, c.rated, c.raters) h
    where c.by is null or c.value is not null order by c.kind, c.by nulls first, c.value
$$;
create view nudged.what_works with (security_barrier) as select * from nudged.opens(now() - interval '28 days');

-- It reads no view of the app's, so that those can be dropped and made again.
create view nudged.user_status with (security_barrier) as
select
    p.user_id, p.due_at as next_evaluation, p.evaluated_at as last_evaluation,
    (select max(d.attempted_at) from nudged.delivery d where d.user_id = p.user_id and d.outcome in ('accepted', 'unknown')) as last_sent,
    p.reason,
    case p.reason
        when 'not_due' then 'The next check-in is not due yet.'
        when 'frequency' then 'The user wants no more check-ins for now (frequency).'
        when 'muted' then 'The user has muted all nudges for a time (muted_until).'
        when 'dormant' then 'The user has ignored check-ins for so long that they have ended.'
        when 'quiet_hours' then 'It is night for the user (quiet hours).'
        when 'capped' then 'The user has had as many nudges as max_per_hour or max_per_day allow.'
        when 'paused' then 'An operator has paused check-ins (nudged.paused).'
        when 'not_opted_in' then 'The user has not opted in: the preferences are null.'
        when 'preferences_malformed' then 'The user has not turned check-ins on, or the preferences can''t be read: see select nudged_api.preferences_fault(preferences) from nudged.recipient where user_id = the user''s id.'
        when 'disabled' then 'The user has turned check-ins off.'
        when 'first_session_incomplete' then 'The user has not completed the first session.'
        when 'no_device' then 'No device can get a push: none is registered for Apple (nudged.device), or all are in quarantine (nudged.quarantined).'
        when 'timezone_unresolved' then 'No valid time zone is known for the user.'
        when 'no_text' then 'No active template fits the user, so check-ins have no text (nudged.template).'
        when 'holdout' then 'The user is one of those who get no check-ins, for comparison (policy.holdoutPercent).'
        when 'active' then 'The app saw the user shortly before (policy.skipIfActiveMinutes).'
        when 'due' then 'A check-in is due.'
    end as meaning,
    (select count(*) from (select from nudged.message m where m.user_id = p.user_id limit 10000) m) as messages_waiting,
    (select min(o.wakes_at) from nudged.occurrence o where o.user_id = p.user_id and not o.is_fan_out) as next_reminder,
    exists (select from nudged.touched t where t.user_id = p.user_id) as has_unread_change
from nudged.person p;

create view nudged.waiting with (security_barrier) as
select user_id, 'message' as kind, id, coalesce(wakes_at, created_at) as due_at, urgent, expires_at from nudged.message
union all select user_id, 'reminder', id, coalesce(due_at, wakes_at), false, null from nudged.occurrence where not is_fan_out;

create index delivery_stale on nudged.delivery (attempted_at) where status = 410;
create view nudged.stale_token with (security_barrier) as
select user_id, device_hash, attempted_at as at, reason from nudged.delivery where status = 410;

select nudged.allow('nudged_app, authenticated, service_role', 'execute', 'nudged_api.preferences_fault');
select nudged.allow('nudged_daemon', 'execute', 'nudged.opens', 'nudged.share_bounds');
select nudged.grant_roles();

comment on column nudged.person.reason is 'What the policy said of the user''s check-ins at the last evaluation. Read it with nudged.user_status. Null: not evaluated yet.';
comment on function nudged_api.preferences_fault is 'What is wrong with a user''s preferences, or null. Fit for a CHECK constraint: check (nudged_api.preferences_fault(notification_preferences) is null).';
select nudged.describe('nudged.nudge_history', 'Who got what: one row per nudge of the record, with its outcome and the number of devices that got it. Ask for one user_id.',
    'first_attempt', 'When it was first tried, or decided if nothing was sent.', 'last_attempt', 'When it was last tried.',
    'outcome', 'accepted if Apple accepted it for one device, else the last outcome.', 'reason', 'The last reason that is in the record.',
    'devices', 'How many devices got it.');
select nudged.describe('nudged.what_works', 'What users did with the nudges of the last 28 days: how many were opened and found helpful, by kind, and by template, local hour and weekday. Two shares whose bounds overlap may differ by chance alone.',
    'by', 'What value is: template, hour (0 to 23) or weekday (1 is Monday). Null: all nudges of the kind.',
    'value', 'The template''s id, the hour or the weekday.', 'sent', 'How many nudges were sent.', 'users', 'How many users got them.',
    'opened', 'How many of them were opened.', 'opened_low', 'The lower bound of the share that is opened (95 %).',
    'opened_high', 'The upper bound of the share that is opened (95 %).', 'rated', 'How many of them have feedback.',
    'raters', 'How many users gave feedback.', 'helpful', 'How many of those were found helpful.',
    'helpful_low', 'The lower bound of the share that is found helpful (95 %).',
    'helpful_high', 'The upper bound of the share that is found helpful (95 %).');
select nudged.describe('nudged.user_status', 'Why a user gets nothing, and when nudged evaluates them next. Ask for one user_id. No row: nudged has not seen the user yet.',
    'next_evaluation', 'When nudged evaluates the user next. A change of the user''s data brings it forward to now.',
    'last_evaluation', 'When nudged last evaluated the user.', 'last_sent', 'When the user last got a nudge, of those that still count for limits.',
    'reason', 'Why no check-in came at the last evaluation, as docs/POLICY.md names it.', 'meaning', 'The reason as a sentence.',
    'messages_waiting', 'How many messages wait for the user.', 'next_reminder', 'The earliest time of the user''s next reminder.',
    'has_unread_change', 'Whether a change waits that no daemon has read yet. It should be read within seconds.');
select nudged.describe('nudged.waiting', 'What waits to be sent: messages, and reminders whose time is to come.',
    'kind', 'message or reminder.', 'id', 'The id of the message, for nudged_api.cancel, or of the reminder''s occurrence.',
    'due_at', 'Since when the message waits, or when the message or reminder is due at the earliest.');
select nudged.describe('nudged.stale_token', 'Tokens that Apple refused for good (410). nudged deleted them, unless the device had registered again since then.',
    'at', 'When the push was tried.', 'reason', 'Apple''s reason, such as Unregistered.');
