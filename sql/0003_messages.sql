-- Messages: what an app says to a user now. An app calls nudged_api.send in its own transaction: a message exists
-- exactly if what it is about was committed. There is no NOTIFY, since that serialises all commits of a database.

create table nudged.message (
    user_id uuid not null, id uuid not null, created_at timestamptz not null default clock_timestamp(),
    -- A payload has at most 4,096 bytes (nudged.checked_message). Numbers need more room in jsonb than in text.
    title text not null check (octet_length(title) <= 4096), body text not null check (octet_length(body) <= 4096),
    data jsonb check (pg_column_size(data) <= 65536), urgent boolean not null default false,
    category text check (octet_length(category) <= 255), thread_id text check (octet_length(thread_id) <= 255),
    collapse_key text check (octet_length(collapse_key) <= 255), dedupe_key text check (octet_length(dedupe_key) <= 255),
    expires_at timestamptz, apns jsonb check (pg_column_size(apns) <= 65536), deliver_at timestamptz, deliver_local timestamp,
    texts jsonb check (pg_column_size(texts) <= 65536),
    -- No zone is further ahead than UTC+14.
    wakes_at timestamptz generated always as (coalesce(deliver_at, (deliver_local - interval '14 hours') at time zone 'UTC')) stored,
    primary key (user_id, id),
    check (num_nonnulls(deliver_at, deliver_local) <= 1)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);
-- nudged_api.cancel knows only the id. Not unique: every unique key about users holds user_id.
create index message_id on nudged.message (id);
-- Messages that wait for their time. A claim of a user with many reads only those that can be due.
create index message_wakes on nudged.message (user_id, wakes_at) where wakes_at is not null;
-- A backend cancels a campaign without naming its users. starts_with uses an index of collation "C" only.
create index message_category on nudged.message (category) where category is not null;
create index message_dedupe_key on nudged.message (dedupe_key collate "C") where dedupe_key is not null;

-- The id that each dedupe_key got, for 30 days (nudged.prune_message_keys). No caller repeats a call for longer.
create table nudged.message_key (
    user_id uuid not null, key text not null check (octet_length(key) <= 255), id uuid not null, at timestamptz not null default now(),
    primary key (user_id, key)
);
create index message_key_at on nudged.message_key (at);

-- A payload is UTF-8, whatever the database's encoding is.
create function nudged.utf8_bytes(phrase text) returns integer language sql stable parallel safe return octet_length(convert_to(phrase, 'UTF8'));

create function nudged.is_critical(apns jsonb) returns boolean language sql immutable parallel safe
return coalesce(apns ->> 'interruption_level' = 'critical' or apns #>> '{sound,critical}' = '1', false);

-- The bytes of a member of aps, with the comma before it; 0 without a value. jsonb puts a space after commas.
create function nudged.member_bytes(name text, value jsonb) returns integer language sql stable parallel safe
return coalesce(octet_length(',"":') + octet_length(name) + nudged.utf8_bytes(value::text)
    - case jsonb_typeof(value) when 'array' then greatest(jsonb_array_length(value) - 1, 0) else 0 end, 0);

-- The bytes of a score: the daemon writes 0 and 1 as 0.0 and 1.0.
create function nudged.score_bytes(apns jsonb) returns integer language sql immutable parallel safe return case when apns ? 'relevance_score'
    then octet_length(',"relevance-score":') + greatest(3, octet_length(trim_scale((apns ->> 'relevance_score')::numeric)::text)) else 0 end;

-- For nudged.payload_bytes: the bytes of apns, without title, body, category, thread_id and data.
create function nudged.apns_bytes(apns jsonb, urgent boolean) returns integer language plpgsql immutable set search_path = pg_catalog, pg_temp as $$ begin
    -- One expression, since a campaign has a call for each message.
    return
        -- ,"sound":"default" is counted already.
        case when apns ->> 'sound' = 'none' then -octet_length(',"sound":"default"')
            when jsonb_typeof(apns -> 'sound') = 'object' then octet_length('{"critical":1,"name":}') - octet_length('"default"')
                + nudged.utf8_bytes((apns #> '{sound,name}')::text)
                + case when apns #> '{sound,volume}' is null then 0
                    else octet_length(',"volume":') + greatest(3, octet_length(apns #>> '{sound,volume}')) end
            else coalesce(nudged.utf8_bytes((apns -> 'sound')::text) - octet_length('"default"'), 0) end
        + nudged.member_bytes('subtitle', apns -> 'subtitle') + nudged.member_bytes('subtitle-loc-key', apns -> 'subtitle_loc_key')
        + nudged.member_bytes('title-loc-args', apns -> 'title_loc_args') + nudged.member_bytes('subtitle-loc-args', apns -> 'subtitle_loc_args')
        + nudged.member_bytes('loc-args', apns -> 'loc_args') + nudged.member_bytes('image_url', apns -> 'image_url')
        + nudged.member_bytes('filter-criteria', apns -> 'filter_criteria') + nudged.member_bytes('target-content-id', apns -> 'target_content_id')
        + coalesce(octet_length(',"badge":') + octet_length(replace(apns ->> 'badge', 'increment', '2147483647')), 0)
        -- A critical alert is more than time-sensitive.
        + case when urgent and not nudged.is_critical(apns) then octet_length(',"interruption-level":"time-sensitive"')
            else nudged.member_bytes('interruption-level', apns -> 'interruption_level') end
        + case when apns ?| array['mutable_content', 'image_url'] then octet_length(',"mutable-content":1') else 0 end
        + nudged.score_bytes(apns);
end $$;

-- The member of apns that makes it a message for something else than the list of notifications. Null: there is none.
create function nudged.surface_kind(apns jsonb) returns text language sql immutable parallel safe
return case when apns ->> 'live_activity' is not null then 'live_activity' when apns -> 'widgets' = 'true' then 'widgets'
    when apns -> 'controls' = 'true' then 'controls' end;

-- The surface (nudged.surface) that a message is for; null: the user's devices. apns: as nudged.stored_apns returns it.
create function nudged.surface_name(apns jsonb) returns text language sql immutable parallel safe return case nudged.surface_kind(apns)
    when 'live_activity' then case when apns #>> '{live_activity,event}' = 'start' then 'start:' || (apns #>> '{live_activity,attributes_type}')
        else 'activity:' || (apns #>> '{live_activity,id}') end
    else nudged.surface_kind(apns) end;

-- For nudged.payload_bytes: the bytes of a push for such a surface.
create function nudged.surface_bytes(title text, body text, apns jsonb) returns integer language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare activity constant jsonb := apns -> 'live_activity';
begin
    return case when activity is null then octet_length('{"aps":{"content-changed":true}}') else
        octet_length('{"aps":{"timestamp":1700000000,"event":"","content-state":}}') + octet_length(activity ->> 'event')
        + nudged.utf8_bytes(activity ->> 'content_state')
        + coalesce(octet_length(',"attributes-type":,"attributes":,"input-push-token":1') + nudged.utf8_bytes((activity -> 'attributes_type')::text)
            + nudged.utf8_bytes(activity ->> 'attributes'), 0)
        + nudged.member_bytes('stale-date', activity -> 'stale_date') + nudged.member_bytes('dismissal-date', activity -> 'dismissal_date')
        + case when coalesce(title, '') || coalesce(body, '') = '' then 0 else
            octet_length(',"alert":{"title":,"body":}') + nudged.utf8_bytes(to_json(coalesce(title, ''))::text) + nudged.utf8_bytes(to_json(coalesce(body, ''))::text)
            + case when apns ->> 'sound' = 'none' then 0
                else 2 * (octet_length(',"sound":') + coalesce(nudged.utf8_bytes((apns -> 'sound')::text), octet_length('"default"'))) end end
        + nudged.score_bytes(apns) end;
end $$;

-- Whether a push has no text: a background push, or a badge alone.
create function nudged.is_silent(title text, body text, apns jsonb) returns boolean
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$ begin
    return coalesce(apns -> 'content_available' = 'true' or apns ->> 'badge' is not null
        and coalesce(title, '') || coalesce(body, '') = '' and coalesce(apns ->> 'title_loc_key', apns ->> 'loc_key') is null, false);
end $$;

-- For nudged.payload_bytes: the bytes of a push without text, without its data.
create function nudged.silent_bytes(apns jsonb) returns integer language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$ begin
    return octet_length('{"aps":{}}')
        + case when apns ? 'content_available' then octet_length('"content-available":1') else 0 end
        + coalesce(octet_length('"badge":') + octet_length(replace(apns ->> 'badge', 'increment', '2147483647')), 0)
        + case when apns ?& array['content_available', 'badge'] then 1 else 0 end;
end $$;

-- The bytes of a push's payload, as Notification+Rendering.swift renders it (a test compares them). apns: as nudged.stored_apns returns it.
create function nudged.payload_bytes(title text, body text, data jsonb, urgent boolean, category text, thread_id text, apns jsonb default null) returns integer
language sql stable set search_path = pg_catalog, pg_temp as $$
    select case
        when apns is not null and nudged.surface_kind(apns) is not null then nudged.surface_bytes(title, body, apns)
        when apns is not null and nudged.is_silent(title, body, apns) then nudged.silent_bytes(apns)
        else octet_length('{"aps":{"alert":{,},"sound":"default"},"action":"new_conversation"}')
            + coalesce(
                octet_length('"title-loc-key":') + nudged.utf8_bytes((apns -> 'title_loc_key')::text),
                octet_length('"title":') + nudged.utf8_bytes(to_json(coalesce(title, ''))::text))
            + coalesce(
                octet_length('"loc-key":') + nudged.utf8_bytes((apns -> 'loc_key')::text),
                octet_length('"body":') + nudged.utf8_bytes(to_json(coalesce(body, ''))::text))
            + coalesce(octet_length(',"thread-id":') + nudged.utf8_bytes(to_json(thread_id)::text), 0)
            + coalesce(octet_length(',"category":') + nudged.utf8_bytes(to_json(category)::text), 0)
            + case when apns is not null then nudged.apns_bytes(apns, urgent)
                when urgent then octet_length(',"interruption-level":"time-sensitive"') else 0 end
            -- With a conversation the action is open_conversation, one byte longer than new_conversation.
            + case when data ->> 'conversation_id' is not null then 1 else 0 end
        end
        + case when data ->> 'conversation_id' is not null then octet_length(',"conversation_id":"00000000-0000-0000-0000-000000000000"') else 0 end
        + coalesce(octet_length(',"domain":') + nudged.utf8_bytes(to_json(data ->> 'domain')::text), 0)
        + case when data - 'conversation_id' - 'domain' <> '{}' then nudged.utf8_bytes((data - 'conversation_id' - 'domain')::text) - 1 else 0 end
        + octet_length(',"nudge":"00000000-0000-0000-0000-000000000000"')
$$;

-- The known key that an unknown one resembles, or null: by Levenshtein's distance, without `_`, `-` and case.
create function nudged.nearest_key(name text, known text[]) returns text language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
    plain constant text := translate(lower(left(name, 40) collate "C"), '_-', '');
    candidate text; target text; best text;
    least_distance integer := 3;
    above integer[]; here integer[];
begin
    foreach candidate in array known loop
        target := translate(candidate, '_', '');
        continue when abs(length(target) - length(plain)) >= least_distance;
        above := array(select g from generate_series(0, length(target)) g);
        for i in 1..length(plain) loop
            here := array[i];
            for j in 1..length(target) loop
                here := here || least(above[j] + case when substr(plain, i, 1) = substr(target, j, 1) then 0 else 1 end, above[j + 1] + 1, here[j] + 1);
            end loop;
            above := here;
        end loop;
        if above[length(target) + 1] < least_distance then
            least_distance := above[length(target) + 1];
            best := candidate;
        end if;
    end loop;
    return best;
end $$;

-- Whether a phone would show nothing of this text: none, white space or invisible characters (U+00A0, U+200B and so on).
-- Bytes are compared: the meaning of \s depends on the locale, and what can be written here depends on the encoding.
create function nudged.is_blank(phrase text) returns boolean language sql stable parallel safe as $$
    select case when phrase ~ '[!-~]' then false else coalesce(
        pg_catalog.encode(pg_catalog.convert_to(phrase, 'UTF8'), 'hex')
            ~ '^([01][0-9a-f]|20|7f|c2[89][0-9a-f]|c2a[0d]|d89c|e19a80|e1a08e|e280(8[0-9a-f]|a[89a-f])|e2819f|e281a[0-9a-f]|e38080|efbbbf)*$',
        true) end
$$;

-- A text as JSON. Null: it holds none. A column of text that holds no JSON counts as empty, as for the policy.
create function nudged.json_or_null(phrase text) returns jsonb language plpgsql immutable set search_path = pg_catalog, pg_temp as $$ begin
    return phrase::jsonb;
exception when data_exception or statement_too_complex then return null;
end $$;

-- The zone that a user has chosen, or that their profile names, as far as this server can tell. Null: none.
create function nudged.own_zone(recipient uuid) returns text language plpgsql set search_path = pg_catalog, pg_temp as $$
declare known record;
begin
    select nudged.json_or_null(nudged.preferences_text(r.preferences)) ->> 'timezone' as chosen, left(r.timezone::text, 256) as timezone into known
    from nudged.recipient r where r.user_id = own_zone.recipient limit 1;
    return case when nudged.is_zone(known.chosen) then known.chosen when nudged.is_zone(known.timezone) then known.timezone end;
end $$;

-- Rounds up to whole seconds, so a time is never earlier than given. The calendar's last second is refused.
create function nudged.whole_second(moment timestamp) returns timestamp language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$ select date_trunc('second', case when moment < '294276-12-31' then moment + interval '999999 microseconds' else moment end) $$;

-- The first fault of members of the payload beside "aps", and the remedy; or null. `name`: the argument.
create function nudged.data_fault(name text, data jsonb) returns text[] language plpgsql stable set search_path = pg_catalog, pg_temp as $$ begin
    return case
        -- Sizes first: nothing below is expanded without a bound.
        when pg_column_size(data) > 65536 or jsonb_typeof(data) = 'object' and pg_column_size(data || '{}') > 65536 then array[
            format('%s has more than 65536 bytes', name), format('Apple accepts 4096 bytes for the whole payload. Shorten %s.', name)]
        when jsonb_typeof(data) <> 'object' then array[
            format('%s is of type %s', name, jsonb_typeof(data)), 'Give a JSON object. Its members are put beside "aps" in the payload.']
        when jsonb_path_exists(data, '$.**{61}') then array[
            format('%s is nested more than 60 levels deep', name), 'Phones read 64 levels, the payload''s own included: put deep values into a text.']
        when nudged.has_long_number(data) then array[
            format('%s holds a number of more than 100 digits', name), 'Phones read numbers of 64 bits: put a longer one into a text.']
        when data ?| array['aps', 'action', 'nudge', 'withdraw'] then array[
            format('%s holds "aps", "action", "nudge" or "withdraw"', name), 'The payload sets these itself: give those members other names.']
        when data ? 'image_url' then array[format('%s holds "image_url"', name), 'Give the image as apns.image_url, or give that member another name.']
        when jsonb_typeof(data -> 'conversation_id') not in ('string', 'null')
            or data ->> 'conversation_id' !~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' then array[
            format('%s.conversation_id is no UUID', name), 'Give the conversation''s UUID as text, or null: a tap then begins a new conversation.']
        when jsonb_typeof(data -> 'domain') not in ('string', 'null') then array[
            format('%s.domain is no text', name), 'Give the domain''s name as text, or leave it out.']
    end;
end $$;

-- The first thing that is wrong with the argument apns (docs/SQL.md, "What the phone shows"), and the remedy. Null:
-- nothing. Members that are null count as absent. `call`: message, reminder or template. A fault never holds a value.
create function nudged.apns_fault(apns jsonb, call text) returns text[] language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    known constant text[] := '{subtitle,badge,sound,interruption_level,relevance_score,category,thread_id,mutable_content,image_url,title_loc_key,title_loc_args,'
        'subtitle_loc_key,subtitle_loc_args,loc_key,loc_args,filter_criteria,target_content_id,content_available,live_activity,widgets,controls,data}';
    given jsonb;
    fault text[] := case
        when pg_column_size(apns) > 65536 or jsonb_typeof(apns) = 'object' and pg_column_size(apns || '{}') > 65536 then array[
            'apns has more than 65536 bytes', 'Apple accepts 4096 bytes for the whole payload. Shorten apns.']
        when jsonb_typeof(apns) <> 'object' then array[format('apns is of type %s', jsonb_typeof(apns)), 'Give a JSON object such as {"badge": 1}.']
        when jsonb_path_exists(apns, '$.**{62}') then array[
            'apns is nested more than 61 levels deep', 'Phones read 64 levels, the payload''s own included: put deep values into a text.']
        when nudged.has_long_number(apns) then array[
            'apns holds a number of more than 100 digits', 'Phones read numbers of 64 bits: put a longer one into a text.']
    end;
    stranger text; near text; one record;
begin
    if apns is null or fault is not null then return fault; end if;
    select k.key into stranger from jsonb_object_keys(apns) as k (key) where k.key <> all (known) limit 1;
    if found then
        near := nudged.nearest_key(stranger, known);
        return array[
            -- An unknown name can be anything, even the message's text. So only a plain name is shown.
            case when stranger ~ '^[A-Za-z_][A-Za-z0-9_-]{0,39}$' then format('apns has a member %s', stranger) else 'apns has a member that it does not know' end,
            -- The names of Apple's headers and payload.
            case regexp_replace(translate(lower(left(stranger, 40) collate "C"), '_-', ''), '^apns', '')
                when 'priority' then 'Use the argument urgent of a message. nudged sets Apple''s priority itself.'
                when 'expiration' then 'Use the argument expires_at of a message.'
                when 'collapseid' then 'Use the argument collapse_key of a message.'
                when 'alert' then 'Use the arguments title and body.'
                when 'topic' then 'The device has it: register it with its topic.'
                when 'pushtype' then 'nudged sets it itself.'
                when 'aps' then 'Give its members: apns stands for aps.'
            else case when near is not null then format('Did you mean %s?', near) else format('Its members are %s.', array_to_string(known, ', ')) end end];
    end if;
    given := jsonb_strip_nulls(apns - 'data');
    for one in
        select k.key, k.kind, k.wanted, given -> k.key as value, given ->> k.key as phrase
        from (values
            ('subtitle', 'text', 'a text that is not blank'),
            ('badge', 'badge', 'an integer from 0 to 2147483647, where 0 removes the badge, or increment'),
            ('sound', 'sound', 'default, none, or the name of a sound in the app, 1 to 255 bytes; for a critical alert an object as {"critical": 1, "name": "default", "volume": 1}'),
            ('interruption_level', 'level', 'passive, active, time-sensitive or critical'),
            ('relevance_score', 'score', 'a number from 0 to 1'),
            ('category', 'name', 'a text of 1 to 255 bytes'), ('thread_id', 'name', 'a text of 1 to 255 bytes'),
            ('mutable_content', 'bool', 'true or false'),
            ('image_url', 'url', 'an address that begins with https://, without spaces, of at most 2048 bytes'),
            ('title_loc_key', 'name', 'a text of 1 to 255 bytes'), ('title_loc_args', 'list', 'an array of at most 20 texts'),
            ('subtitle_loc_key', 'name', 'a text of 1 to 255 bytes'), ('subtitle_loc_args', 'list', 'an array of at most 20 texts'),
            ('loc_key', 'name', 'a text of 1 to 255 bytes'), ('loc_args', 'list', 'an array of at most 20 texts'),
            ('filter_criteria', 'name', 'a text of 1 to 255 bytes'), ('target_content_id', 'name', 'a text of 1 to 255 bytes'),
            ('content_available', 'bool', 'true or false'), ('live_activity', 'object', 'an object with event, id and content_state'),
            ('widgets', 'bool', 'true or false'), ('controls', 'bool', 'true or false')
        ) as k (key, kind, wanted) where given ? k.key
    loop
        if not (case one.kind
            when 'text' then jsonb_typeof(one.value) = 'string' and not nudged.is_blank(one.phrase)
            when 'name' then jsonb_typeof(one.value) = 'string' and octet_length(one.phrase) between 1 and 255
            when 'sound' then case jsonb_typeof(one.value)
                when 'string' then octet_length(one.phrase) between 1 and 255
                when 'object' then one.value - array['critical', 'name', 'volume'] = '{}' and one.value -> 'critical' = '1'
                    and (one.value -> 'name' is null or jsonb_typeof(one.value -> 'name') = 'string' and octet_length(one.value ->> 'name') between 1 and 255)
                    and case when jsonb_typeof(one.value -> 'volume') = 'number' then (one.value ->> 'volume')::numeric between 0 and 1
                        else one.value -> 'volume' is null end
                else false end
            when 'bool' then jsonb_typeof(one.value) = 'boolean'
            when 'object' then jsonb_typeof(one.value) = 'object'
            when 'level' then jsonb_typeof(one.value) = 'string' and one.phrase in ('passive', 'active', 'time-sensitive', 'critical')
            when 'url' then jsonb_typeof(one.value) = 'string' and one.phrase ~ '^https://[!-~]+$' and octet_length(one.phrase) <= 2048
            when 'badge' then one.value = '"increment"'
                or case when jsonb_typeof(one.value) = 'number' and one.phrase ~ '^[0-9]{1,10}$' then one.phrase::bigint <= 2147483647 else false end
            when 'score' then case when jsonb_typeof(one.value) = 'number' then one.phrase::numeric between 0 and 1 else false end
            when 'list' then case when jsonb_typeof(one.value) = 'array'
                then jsonb_array_length(one.value) <= 20 and not jsonb_path_exists(one.value, 'strict $[*] ? (@.type() != "string")') else false end
        end) then
            return array[format('apns.%s is not valid', one.key), format('Wanted: %s.', one.wanted)];
        end if;
    end loop;
    fault := nudged.data_fault('apns.data', nullif(apns -> 'data', 'null'));
    if fault is not null then return fault; end if;
    if nudged.is_critical(given) then
        fault := case
            when call = 'template' then array[
                'apns asks for a critical alert', 'A check-in is never urgent: give the name of a sound, and the level passive or active.']
            when not exists (select from nudged.setting s where s.allow_critical) then array[
                'apns asks for a critical alert', 'The owner of the database allows them: update nudged.setting set allow_critical = true. The app needs Apple''s entitlement.']
            when given ->> 'interruption_level' <> 'critical' then array[
                'apns.interruption_level is not critical beside a critical sound', 'Give critical, or leave interruption_level out.']
        end;
        if fault is not null then return fault; end if;
    end if;
    select k.key into stranger from unnest(array['title_loc', 'subtitle_loc', 'loc']) as k (key)
    where given ? (k.key || '_args') and not given ? (k.key || '_key');
    return case
        when stranger is not null then array[
            format('apns.%s_args is given without apns.%1$s_key', stranger), format('Give apns.%s_key: the key of a text in the app''s table.', stranger)]
        when given ?& array['subtitle', 'subtitle_loc_key'] then array['apns.subtitle and apns.subtitle_loc_key are both given', 'Give one of them.']
        when given ? 'image_url' and given -> 'mutable_content' = 'false' then array[
            'apns.mutable_content is false beside apns.image_url',
            'An image is fetched by the app''s service extension, which needs mutable content: leave mutable_content out.']
        when nudged.surface_kind(given) is not null and call <> 'message' then array[
            format('apns.%s is given', nudged.surface_kind(given)), 'Only a message can be for it: use nudged_api.send.']
        when given -> 'content_available' = 'true' and call <> 'message' then array[
            'apns.content_available is true', 'Only a message can be a background push: use nudged_api.send.']
        when call = 'template' and given ->> 'interruption_level' = 'time-sensitive' then array[
            'apns.interruption_level is time-sensitive', 'A check-in is never urgent: give passive or active.']
        when call = 'template' and apns -> 'data' ?| array['conversation_id', 'domain'] then array[
            'apns.data holds "conversation_id" or "domain"', 'A check-in has those of the user''s context: leave them out.']
        when call = 'reminder' and apns -> 'data' ?| array['subject_type', 'subject_id'] then array[
            'apns.data holds "subject_type" or "subject_id"', 'The payload has the reminder''s own: give those members other names.']
        when given -> 'content_available' = 'true' then (
            select array[format('apns.%s is given with apns.content_available', k.key),
                'A background push shows nothing but a badge. Send an alert and a background push as two messages.']
            from jsonb_each(given) as k (key, value) where k.key not in ('content_available', 'badge') and k.value <> 'false' limit 1)
    end;
end $$;

-- The first thing that is wrong with a title and a body beside an apns that has no fault, and the remedy. Null: nothing.
-- `call`: message, reminder or template. Only a message can be a badge alone.
create function nudged.text_fault(title text, body text, apns jsonb, call text) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    has_title constant boolean := coalesce(title, '') <> '';
    has_body constant boolean := coalesce(body, '') <> '';
begin
    if nudged.surface_kind(apns) is not null then
        return case when nudged.is_blank(title) and nudged.is_blank(body) and apns #>> '{live_activity,event}' = 'start' then array[
            'title and body are both empty', 'Phones announce an activity that starts. Give a title or a body.'] end;
    end if;
    if call = 'message' and apns ? 'badge' and nudged.is_silent(title, body, apns) and apns -> 'content_available' is distinct from 'true' then
        return (
            select array[format('apns.%s is given with a badge alone', k.key), 'A badge alone shows nothing else. Leave it out, or give a title or a body.']
            from jsonb_each(apns) as k (key, value) where k.key not in ('badge', 'data') and k.value not in ('null', 'false') limit 1);
    end if;
    return case
        when apns -> 'content_available' = 'true' then case when has_title or has_body then array[
            format('%s is given with apns.content_available', case when has_title then 'title' else 'body' end),
            'A background push shows nothing. Send an alert and a background push as two messages.'] end
        when has_title and apns ->> 'title_loc_key' is not null then array[
            'title and apns.title_loc_key are both given', 'Give the text, or the key of a text in the app''s table.']
        when has_body and apns ->> 'loc_key' is not null then array[
            'body and apns.loc_key are both given', 'Give the text, or the key of a text in the app''s table.']
        when nudged.is_blank(title) and nudged.is_blank(body) and coalesce(apns ->> 'title_loc_key', apns ->> 'loc_key') is null then array[
            'title and body are both empty', 'Phones do not show a push without text. Give a title or a body.']
    end;
end $$;

-- An instant in whole seconds since 1970. Null: the text is none, or far away.
create function nudged.epoch(phrase text) returns bigint language plpgsql stable set search_path = pg_catalog, pg_temp as $$ begin
    return case when phrase::timestamptz between '1970-01-01Z' and '2200-01-01Z' then floor(extract(epoch from phrase::timestamptz)) end;
exception when data_exception then return null;
end $$;

-- The argument apns as it is stored: without members that are null or false. A score has three decimals, since more
-- decimals change no order that a user sees; so has a volume. Null: nothing is left.
create function nudged.stored_apns(apns jsonb) returns jsonb language sql stable set search_path = pg_catalog, pg_temp as $$
    select jsonb_object_agg(m.key, case m.key
        when 'relevance_score' then to_jsonb(trim_scale(round(m.value::numeric, 3)))
        when 'sound' then case when jsonb_typeof(m.value) = 'object' then '{"name": "default"}' || jsonb_strip_nulls(m.value)
            || case when jsonb_typeof(m.value -> 'volume') = 'number' then jsonb_build_object('volume', trim_scale(round((m.value -> 'volume')::numeric, 3))) else '{}' end
            else m.value end
        -- Objects as texts, so that the daemon copies them, with all digits of their numbers.
        when 'live_activity' then jsonb_strip_nulls(m.value || jsonb_build_object(
            'content_state', (m.value -> 'content_state')::text, 'attributes', (m.value -> 'attributes')::text,
            'stale_date', nudged.epoch(m.value ->> 'stale_date'), 'dismissal_date', nudged.epoch(m.value ->> 'dismissal_date')))
        else m.value end)
    from jsonb_each(apns) as m (key, value) where m.value not in ('null', 'false')
$$;

-- Names the longest of these arguments: the one to shorten.
create function nudged.longest(title text, body text, data jsonb, apns jsonb) returns text language sql immutable set search_path = pg_catalog, pg_temp as $$
    select a.name from (values
        (1, 'body', octet_length(body)), (2, 'title', octet_length(title)), (3, 'data', octet_length(data::text)), (4, 'apns', octet_length(apns::text))
    ) as a (place, name, bytes) order by a.bytes desc nulls last, a.place limit 1
$$;

create type nudged.new_message as (
    user_id uuid, title text, body text, data jsonb, urgent boolean, category text, thread_id text, collapse_key text, expires_at timestamptz,
    dedupe_key text, apns jsonb, deliver_at timestamptz, deliver_local timestamp, texts jsonb
);

-- The first fault of a message for a Live Activity, widgets or controls whose apns has no other one, and the remedy.
create function nudged.surface_fault(message nudged.new_message) returns text[] language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    surface constant text := nudged.surface_kind(message.apns);
    activity constant jsonb := jsonb_strip_nulls(message.apns -> 'live_activity');
    known constant text[] := '{event,id,content_state,attributes_type,attributes,stale_date,dismissal_date,priority}';
    is_activity constant boolean := surface = 'live_activity';
    stranger text; one record;
begin
    select f.name into stranger from (
        select 'apns.' || k.key as name from jsonb_each(message.apns) as k (key, value)
        where k.key <> surface and k.value not in ('null', 'false') and not (is_activity and k.key in ('sound', 'relevance_score', 'category'))
        union all select a.name
        from (values
            ('data', message.data is not null), ('thread_id', message.thread_id is not null), ('collapse_key', message.collapse_key is not null),
            ('urgent', message.urgent and (not is_activity or activity ->> 'event' = 'start')),
            ('title', not is_activity and message.title <> ''), ('body', not is_activity and message.body <> ''),
            ('texts', not is_activity and message.texts is not null), ('category', not is_activity and message.category is not null),
            ('apns.sound', is_activity and jsonb_typeof(message.apns -> 'sound') = 'object')
        ) as a (name, is_given) where a.is_given
    ) f limit 1;
    if found then
        return array[format('%s is given with apns.%s', stranger, surface), case
            when stranger = 'urgent' and is_activity then 'No activity starts in quiet hours: leave urgent out.'
            when is_activity then 'A Live Activity does not have this: leave it out, or put it into content_state.'
            else 'Such a message only makes them reload: leave this out.' end];
    elsif not is_activity then
        return null;
    end if;
    select k.key into stranger from jsonb_object_keys(activity) as k (key) where k.key <> all (known) limit 1;
    if found then
        return array[
            case when stranger ~ '^[A-Za-z_][A-Za-z0-9_-]{0,39}$' then format('apns.live_activity has a member %s', stranger)
                else 'apns.live_activity has a member that it does not know' end,
            format('Its members are %s.', array_to_string(known, ', '))];
    end if;
    for one in
        select k.name, k.wanted, activity -> k.name as value, activity ->> k.name as phrase, activity ->> 'event' = any (k.needed) as is_needed,
            activity ->> 'event' = any (k.allowed) as is_allowed, k.kind
        from (values
            ('event', 'event', 'start, update or end', '{}'::text[], '{start,update,end}'::text[]),
            ('id', 'name', 'your own name of the activity, 1 to 200 bytes', '{start,update,end}', '{start,update,end}'),
            ('content_state', 'object', 'an object: what your Swift type ContentState decodes', '{start,update,end}', '{start,update,end}'),
            ('attributes_type', 'type', 'the name of your Swift type, only for a start', '{start}', '{start}'),
            ('attributes', 'object', 'an object: what your Swift type decodes, only for a start', '{start}', '{start}'),
            ('stale_date', 'instant', 'an instant such as 2026-11-21T18:00:00Z', '{}', '{start,update,end}'),
            ('dismissal_date', 'instant', 'an instant such as 2026-11-21T18:00:00Z, only for an end', '{}', '{end}'),
            ('priority', 'priority', '5 or 10', '{}', '{start,update,end}')
        ) as k (name, kind, wanted, needed, allowed)
    loop
        if one.value is null and not one.is_needed and one.name <> 'event' then continue; end if;
        if not coalesce(one.is_allowed and case one.kind
            when 'event' then true
            when 'name' then jsonb_typeof(one.value) = 'string' and octet_length(one.phrase) between 1 and 200
            when 'type' then jsonb_typeof(one.value) = 'string' and one.phrase ~ '^[A-Za-z_][A-Za-z0-9_.]{0,199}$'
            when 'object' then jsonb_typeof(one.value) = 'object'
            when 'priority' then jsonb_typeof(one.value) = 'number' and one.phrase in ('5', '10')
            when 'instant' then jsonb_typeof(one.value) = 'string' and nudged.epoch(one.phrase) is not null end, false)
        then
            return array[format('apns.live_activity.%s is not valid', one.name), format('Wanted: %s.', one.wanted)];
        end if;
    end loop;
    return null;
end $$;

-- What is wrong with the length of a key or an id, and the remedy. Null: nothing.
create function nudged.key_fault(name text, value text) returns text[] language sql stable parallel safe
return case when value = '' or nudged.utf8_bytes(value) > 255 then array[
    format('%s has %s bytes', name, nudged.utf8_bytes(value)), 'It has 1 to 255 bytes, or is null.'] end;

-- Fails with what is wrong with a call, if something is: the fault, the remedy, and the SQLSTATE if it is not 22023
-- (invalid_parameter_value). Called in IF, since PERFORM would show its whole statement in the error's context.
create function nudged.refuse(caller text, fault text[]) returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$ begin
    if fault is not null then
        raise exception using errcode = coalesce(fault[3], '22023'), message = format('%s: %s', caller, fault[1]), hint = fault[2];
    end if;
    return false;
end $$;

-- A statement after a row lock must see whether an intent came first. So it needs a snapshot of its own.
create function nudged.isolation_fault(what text) returns text[] language sql stable
return case when current_setting('transaction_isolation') <> 'read committed' then array[
    'the transaction''s isolation level is not READ COMMITTED',
    format('Call it in a transaction of its own: an older snapshot can''t show whether %s is already being sent.', what), '0A000'] end;

-- The first thing that is wrong with a message's argument texts, and the remedy. Null: nothing. Each text replaces title
-- and body, so each is checked as they are. A fault holds no text.
create function nudged.texts_fault(message nudged.new_message) returns text[] language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
    apns constant jsonb := nudged.stored_apns(message.apns);
    one record;
    said text[] := '{}';
    name text;
    fault text[] := case
        when pg_column_size(message.texts) > 65536 or octet_length(message.texts::text) > 16384 then array[
            'texts has more than 16384 bytes', 'Shorten the texts, or send one message for each language.']
        when jsonb_typeof(message.texts) <> 'object' then array[format('texts is of type %s', jsonb_typeof(message.texts)),
            'Give an object by language, such as {"de": {"title": "Hallo", "body": "Bis morgen"}}.']
        when (select count(*) from jsonb_object_keys(message.texts)) > 50 then array[
            'texts has more than 50 languages', 'Give the languages of this user, or send one message for each language.']
    end;
begin
    if fault is not null then return fault; end if;
    for one in select t.key, t.value, t.value ->> 'title' as title, t.value ->> 'body' as body from jsonb_each(message.texts) as t (key, value) loop
        if one.key !~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$' or octet_length(one.key) > 64 then
            return array['texts has a member that is no language', 'Name a language as de, or one of a region as pt-BR.'];
        end if;
        -- As RecipientContext.normalized.
        name := translate(lower(one.key collate "C"), '_', '-');
        fault := case
            when name = any (said) then array['given twice', 'Give it once.']
            when jsonb_typeof(one.value) <> 'object'
                or jsonb_path_exists(one.value, '$.* ? (@.type() != "string" && @.type() != "null")')
                or one.value - array['title', 'body'] <> '{}' then array['no object of texts', 'Give an object with title and body, as texts; one may be missing.']
            else nudged.text_fault(one.title, one.body, message.apns, 'message')
        end;
        if fault is null and nudged.payload_bytes(
            one.title, one.body, coalesce(message.data, nullif(message.apns -> 'data', 'null')), coalesce(message.urgent, false),
            coalesce(message.category, message.apns ->> 'category'), coalesce(message.thread_id, message.apns ->> 'thread_id'), apns) > 4096
        then
            fault := array['the payload has more than 4096 bytes', 'Apple accepts 4096 bytes for the whole payload. Shorten this text.'];
        end if;
        if fault is not null then return array[format('texts.%s: %s', one.key, fault[1]), fault[2]]; end if;
        said := said || name;
    end loop;
    return null;
end $$;

-- A message as it is stored: what its argument apns says of columns is in these. Refuses a message that could never be
-- sent. The error names the argument and the remedy, and never holds the text.
create function nudged.checked_message(caller text, message nudged.new_message) returns nudged.new_message
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    stored nudged.new_message := message;
    bytes integer;
    fault text[] := coalesce(
        case
            when message.user_id is null then array['user_id is null', 'Name the user whom the message is for.']
            when octet_length(message.title) > 65536 or octet_length(message.body) > 65536 then array[
                'the payload has more than 65536 bytes',
                format('Apple accepts 4096 bytes for the whole payload. Shorten %s.', nudged.longest(message.title, message.body, null, null))]
        end,
        case when message.data is not null then nudged.data_fault('data', message.data) end,
        case when message.apns is not null then nudged.apns_fault(message.apns, 'message') end);
begin
    if fault is null and nudged.surface_kind(message.apns) is not null then fault := nudged.surface_fault(message); end if;
    if fault is null and message.apns is not null then
        select f.fault into fault
        from (values
            (1, 'category', message.category is not null), (2, 'thread_id', message.thread_id is not null), (3, 'data', message.data is not null),
            (4, 'urgent', message.urgent), (5, 'texts', message.texts is not null)
        ) as a (place, name, is_given)
        cross join lateral (select case
            when message.apns ->> a.name is not null then array[format('%s and apns.%1$s are both given', a.name), 'Give it once.']
            when nudged.is_silent(message.title, message.body, message.apns) and a.name <> 'data' then array[
                format('%s is given with %s', a.name,
                    case when message.apns -> 'content_available' = 'true' then 'apns.content_available' else 'a badge alone' end),
                'A push without text shows no more than a badge: leave it out.']
            when message.apns ->> 'interruption_level' in ('passive', 'active') and a.name = 'urgent' then array[
                'apns.interruption_level is not time-sensitive, and urgent is true', 'An urgent message is time-sensitive: leave interruption_level out.']
        end as fault) f
        where a.is_given and f.fault is not null order by message.apns ->> a.name is null, a.place limit 1;
    end if;
    fault := coalesce(
        fault,
        -- Most messages have no apns and some text. Then one function call less is made.
        case when message.apns is not null or nudged.is_blank(message.title) and nudged.is_blank(message.body)
            then nudged.text_fault(message.title, message.body, message.apns, 'message') end,
        case when message.texts is not null then nudged.texts_fault(message) end,
        case
            when message.expires_at <= now() then array['expires_at is in the past', 'Give a time in the future, or null: then it expires after 7 days.']
            when message.expires_at > '9999-12-31' and message.expires_at <> 'infinity' then array[
                'expires_at is after the year 9999', 'Give infinity for a message that does not expire.']
            when num_nonnulls(message.deliver_at, message.deliver_local) = 2 then array[
                'deliver_at and deliver_local are both given', 'Give an instant (deliver_at), or a wall time in the user''s own zone (deliver_local).']
            when not isfinite(message.deliver_at) or not isfinite(message.deliver_local) or message.deliver_at > now() + interval '366 days'
                or message.deliver_local > (now() at time zone 'UTC') + interval '366 days' then array[
                format('%s is more than 366 days away', case when message.deliver_at is null then 'deliver_local' else 'deliver_at' end),
                'Give a time within 366 days.']
            when message.deliver_at < now() then array['deliver_at is in the past', 'Give a time in the future, or null to send it now.']
            when message.deliver_local < (now() at time zone 'UTC') - interval '12 hours' then array[
                'deliver_local is in the past in every zone', 'Give a wall time in the future, or null to send it now.']
            when message.expires_at <= coalesce(message.deliver_at, (message.deliver_local + interval '12 hours') at time zone 'UTC') then array[
                format('expires_at is not after %s', case when message.deliver_at is null then 'deliver_local in every zone' else 'deliver_at' end),
                'Give a later time, or null: then it expires 7 days after it is due.']
        end,
        nudged.key_fault('dedupe_key', message.dedupe_key), nudged.key_fault('collapse_key', message.collapse_key),
        nudged.key_fault('thread_id', message.thread_id), nudged.key_fault('category', message.category),
        -- nudged uses such keys itself (nudged_me.send_test).
        case when starts_with(message.dedupe_key, 'nudged.') then array[
            'dedupe_key begins with "nudged."', 'Such keys are nudged''s own: give another beginning.'] end);
    if fault is null then
        stored.title := coalesce(message.title, '');
        stored.body := coalesce(message.body, '');
        stored.urgent := coalesce(message.urgent, false);
        stored.texts := nullif(jsonb_strip_nulls(message.texts), '{}');
        if message.apns is not null then
            stored.data := coalesce(message.data, nullif(message.apns -> 'data', 'null'));
            stored.category := coalesce(message.category, message.apns ->> 'category');
            stored.thread_id := coalesce(message.thread_id, message.apns ->> 'thread_id');
            stored.apns := nullif(nudged.stored_apns(message.apns - array['category', 'thread_id', 'data']), '{}');
        end if;
        if num_nonnulls(message.deliver_at, message.deliver_local) = 1 then
            stored.deliver_at := nudged.whole_second(message.deliver_at at time zone 'UTC') at time zone 'UTC';
            stored.deliver_local := nudged.whole_second(message.deliver_local);
        end if;
        -- What nobody could be told for a week is no news. A wall time comes at most 12 hours after the same time in UTC.
        -- A phone ends an activity after eight hours, and shows it for four more. Usual quiet hours are shorter.
        stored.expires_at := nullif(coalesce(
            message.expires_at,
            coalesce(stored.deliver_at, (stored.deliver_local + interval '12 hours') at time zone 'UTC', now())
                + case when nudged.surface_kind(stored.apns) = 'live_activity' then interval '12 hours' else interval '7 days' end), 'infinity');
        bytes := nudged.payload_bytes(stored.title, stored.body, stored.data, stored.urgent, stored.category, stored.thread_id, stored.apns);
        if bytes > 4096 then
            fault := array[format('the payload has %s bytes', bytes), format('Apple accepts 4096 bytes for the whole payload. Shorten %s.',
                nudged.longest(message.title, message.body, message.data, message.apns))];
        end if;
    end if;
    if fault is not null and nudged.refuse(caller, fault) then end if;
    return stored;
end $$;

-- What the caller of nudged_api.send may have overlooked. A broken view of the app fails no message.
create function nudged.message_warnings(recipient uuid, surface text) returns text[]
language plpgsql set search_path = pg_catalog, pg_temp set lock_timeout = '100ms' as $$ begin
    if surface is not null and not exists (select from nudged.surface s where s.user_id = recipient and s.surface = message_warnings.surface) then
        -- An activity has no token before it has started.
        return case when starts_with(surface, 'activity:') then '{}'
            else array['no_token: the user has no token for it now: a message without one is dropped'] end;
    elsif surface is null and not exists (select from nudged.device d where d.user_id = recipient) then
        return array['no_device: the user has no device now: a message without one is dropped'];
    -- What is silent needs no zone.
    elsif coalesce(starts_with(surface, 'start:'), true) and not exists (select from nudged.recipient r where r.user_id = recipient and r.timezone::text <> '')
        and nudged.own_zone(recipient) is null
    then
        return array['no_timezone: the user has no time zone: unless policy.defaultTimezone is set, the message may wait for one, for a day'];
    end if;
    return '{}';
exception
    -- A time-out of the caller's own must reach the caller.
    when query_canceled then raise;
    when others or assert_failure then return array[format('user_unreadable: the user''s rows could not be read (SQLSTATE %s)', sqlstate)];
end $$;

-- docs/SQL.md says what each argument does.
create function nudged_api.send(
    user_id uuid, title text, body text, data jsonb default null, urgent boolean default false, category text default null, thread_id text default null,
    collapse_key text default null, expires_at timestamptz default null, dedupe_key text default null, apns jsonb default null,
    deliver_at timestamptz default null, deliver_local timestamp default null, texts jsonb default null
) returns nudged.result language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    made uuid := gen_random_uuid();
    known uuid;
    most constant integer := coalesce((select s.max_messages from nudged.setting s), 2000);
    new nudged.new_message;
begin
    perform nudged.require_backend('nudged_api.send');
    new := nudged.checked_message('nudged_api.send', row(
        send.user_id, send.title, send.body, send.data, send.urgent, send.category, send.thread_id, send.collapse_key, send.expires_at, send.dedupe_key,
        send.apns, send.deliver_at, send.deliver_local, send.texts
    )::nudged.new_message);
    if new.dedupe_key is not null then
        for attempt in 1..3 loop
            -- Waits for a call with the same key that is not committed yet, as any unique key does.
            insert into nudged.message_key as k (user_id, key, id) values (new.user_id, new.dedupe_key, made) on conflict (user_id, key) do nothing;
            exit when found;
            select k.id into known from nudged.message_key k where k.user_id = new.user_id and k.key = new.dedupe_key;
            if known is not null then return nudged.result_of(known, 0); end if;
            -- The key was deleted between the two statements (nudged_api.forget, or 30 days old). So it is tried again.
        end loop;
    end if;
    -- Concurrent calls don't see each other's rows, so together they may exceed the limit.
    if (select count(*) from (select 1 from nudged.message m where m.user_id = new.user_id limit most) as waiting) >= most then
        if nudged.refuse('nudged_api.send', array[format('the user has %s messages waiting', most),
            'Send less to this user, give messages an expires_at or a collapse_key, or raise nudged.setting.max_messages.', 'ND014']) then end if;
    end if;
    insert into nudged.message (
        user_id, id, title, body, data, urgent, category, thread_id, collapse_key, dedupe_key, expires_at, apns, deliver_at, deliver_local, texts
    )
    values (
        new.user_id, made, new.title, new.body, new.data, new.urgent, new.category, new.thread_id, new.collapse_key, new.dedupe_key, new.expires_at, new.apns,
        new.deliver_at, new.deliver_local, new.texts);
    -- Once its time is set, the user is due then. So a message for later is no urgent arrival.
    insert into nudged.touched (user_id, urgent, arrival) values (new.user_id, new.urgent and num_nonnulls(new.deliver_at, new.deliver_local) = 0, true);
    return nudged.result_of(made, warnings => nudged.message_warnings(new.user_id, nudged.surface_name(new.apns)));
end $$;

-- Sends many messages at once. messages: an array of objects whose members are the arguments of nudged_api.send
-- (user_id, and title or body at least). All or none: the error names the first refused message by its position, from
-- 0, also for a value of a wrong type: the server's own error would show the value. Returns rows in their order.
create function nudged_api.send_many(messages jsonb) returns table (user_id uuid, id uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare stranger record; asked nudged.new_message[];
begin
    perform nudged.require_backend('nudged_api.send_many');
    if nudged.refuse('nudged_api.send_many', case when jsonb_typeof(messages) is distinct from 'array' then array['messages is no array',
        'Give a JSON array of objects, as jsonb_agg(jsonb_build_object(''user_id'', ..., ''title'', ..., ''body'', ...)) makes it.'] end) then end if;
    -- A member of a wrong type would be converted without a word: a number is a title, an object is one as JSON.
    select m.place - 1 as place, jsonb_typeof(m.message) as type, k.name, k.phrase into stranger
    from jsonb_array_elements(messages) with ordinality as m (message, place)
    left join lateral (
        select o.name, w.phrase
        from jsonb_each(case when jsonb_typeof(m.message) = 'object' then m.message else '{}' end) as o (name, value)
        cross join lateral (
            select case
                when o.name = 'user_id' then 'UUID'
                when o.name in ('title', 'body', 'category', 'thread_id', 'collapse_key', 'dedupe_key') then 'text'
                when o.name in ('data', 'apns', 'texts') then 'object'
                when o.name = 'urgent' then 'boolean'
                when o.name in ('expires_at', 'deliver_at') then 'instant'
                when o.name = 'deliver_local' then 'wall time' end as phrase
        ) w
        where w.phrase is null or jsonb_typeof(o.value) not in ('null', case when w.phrase in ('object', 'boolean') then w.phrase else 'string' end)
            -- The zone would be ignored.
            or o.name = 'deliver_local' and o.value #>> '{}' ~ ':[0-9.]+ *[A-Za-z+-]'
        limit 1
    ) k on true where jsonb_typeof(m.message) <> 'object' or k.name is not null order by m.place limit 1;
    if stranger.phrase is not null then
        if nudged.refuse_member(stranger.place, stranger.name, stranger.phrase) then end if;
    elsif found then
        raise invalid_parameter_value
            using message = format('nudged_api.send_many: message %s %s', stranger.place,
                case when stranger.type <> 'object' then 'is no object'
                    when stranger.name ~ '^[A-Za-z_][A-Za-z0-9_]{0,39}$' then format('has a member %s', stranger.name)
                    else 'has a member that it does not know' end),
                hint = 'Its members are the arguments of nudged_api.send.';
    end if;
    begin
        select coalesce(array_agg(jsonb_populate_record(null::nudged.new_message, e.message) order by e.place), '{}') into asked
        from jsonb_array_elements(messages) with ordinality as e (message, place);
    exception when data_exception then
        if nudged.refuse_members(messages) then end if;
        raise;
    end;
    for place in 1..cardinality(asked) loop
        asked[place] := nudged.checked_message(format('nudged_api.send_many: message %s', place - 1), asked[place]);
    end loop;
    return query select s.user_id, s.id from nudged.insert_messages(asked) s;
end $$;

-- The value is not shown.
create function nudged.refuse_member(place bigint, name text, phrase text) returns boolean language sql set search_path = pg_catalog, pg_temp
return nudged.refuse(format('nudged_api.send_many: message %s', place), array[format('%s is no %s', name, phrase),
    'user_id: a UUID. urgent: true or false. data, apns, texts: objects. expires_at, deliver_at: an instant such as 2026-11-21T18:00:00Z. deliver_local: a wall time without a zone, such as 2026-11-21T18:00:00. All others: texts.']);

-- Names the first member of nudged_api.send_many's messages that can't be read as its type.
create function nudged.refuse_members(messages jsonb) returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare one record;
begin
    for one in
        select e.place - 1 as place, t.name, t.type, t.phrase, e.message ->> t.name as value
        from jsonb_array_elements(messages) with ordinality as e (message, place)
        cross join (values
            ('user_id', 'uuid', 'UUID'), ('expires_at', 'timestamptz', 'instant'),
            ('deliver_at', 'timestamptz', 'instant'), ('deliver_local', 'timestamp', 'wall time')
        ) as t (name, type, phrase) order by e.place
    loop
        begin
            execute format('select $1::%s', one.type) using one.value;
        exception when data_exception then
            if nudged.refuse_member(one.place, one.name, one.phrase) then end if;
        end;
    end loop;
    return false;
end $$;

-- Sends the same message to many users. dedupe_key is for each user.
create function nudged_api.send_many(
    user_ids uuid[], title text, body text, data jsonb default null, urgent boolean default false, category text default null,
    thread_id text default null, collapse_key text default null, expires_at timestamptz default null, dedupe_key text default null,
    apns jsonb default null, deliver_at timestamptz default null, deliver_local timestamp default null, texts jsonb default null
) returns table (user_id uuid, id uuid) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare new nudged.new_message; hole bigint;
begin
    perform nudged.require_backend('nudged_api.send_many');
    if nudged.refuse('nudged_api.send_many', case when send_many.user_ids is null then array[
        'user_ids is null', 'Give an array of the users whom the message is for; an empty one is for nobody.'] end) then end if;
    -- The text is the same for all, and is checked even for an empty list.
    new := nudged.checked_message('nudged_api.send_many', row(
        '00000000-0000-0000-0000-000000000000', send_many.title, send_many.body, send_many.data, send_many.urgent, send_many.category, send_many.thread_id,
        send_many.collapse_key, send_many.expires_at, send_many.dedupe_key, send_many.apns, send_many.deliver_at, send_many.deliver_local, send_many.texts
    )::nudged.new_message);
    hole := (select min(u.place) from unnest(send_many.user_ids) with ordinality as u (user_id, place) where u.user_id is null);
    if nudged.refuse(format('nudged_api.send_many: message %s', hole - 1),
        case when hole is not null then array['user_id is null', 'Name the user whom the message is for.'] end) then end if;
    return query select s.user_id, s.id from nudged.insert_messages(array(
        select row(
            u.user_id, new.title, new.body, new.data, new.urgent, new.category, new.thread_id, new.collapse_key, new.expires_at, new.dedupe_key, new.apns,
            new.deliver_at, new.deliver_local, new.texts
        )::nudged.new_message
        from unnest(send_many.user_ids) with ordinality as u (user_id, place) order by u.place
    )) s;
end $$;

-- Inserts messages that nudged.checked_message has checked. Returns a row for each, in their order. A generic plan would
-- expect few messages, and compare each one with each other.
create function nudged.insert_messages(messages nudged.new_message[]) returns table (user_id uuid, id uuid)
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$ #variable_conflict use_column
declare
    ids uuid[] := (select coalesce(array_agg(gen_random_uuid()), '{}') from unnest(messages));
    keys bigint := (select count(distinct (m.user_id, m.dedupe_key)) from unnest(messages) as m where m.dedupe_key is not null);
    written bigint;
    most constant integer := coalesce((select s.max_messages from nudged.setting s), 2000);
begin
    for attempt in 1..3 loop
        exit when keys = 0;
        -- In the order of user_id, so that two callers can't deadlock. Of several with one key, the first counts.
        insert into nudged.message_key (user_id, key, id)
        select m.user_id, m.dedupe_key, ids[m.ordinality]
        from unnest(messages) with ordinality as m
        where m.dedupe_key is not null order by m.user_id, m.dedupe_key, m.ordinality on conflict do nothing;
        get diagnostics written = row_count;
        exit when written = keys;
        -- A key that was there may be deleted by now (as in nudged_api.send). Then it must be written.
        select count(*) into written from nudged.message_key k
        where (k.user_id, k.key) in (select m.user_id, m.dedupe_key from unnest(messages) as m);
        exit when written = keys;
    end loop;
    -- A statement of its own: its snapshot has the keys that other calls wrote meanwhile.
    return query with wanted as materialized (select m.*, m.ordinality as place, ids[m.ordinality] as id from unnest(messages) with ordinality as m),
    -- Read alone: on several machines an outer join would fetch the whole table.
    keys as materialized (select k.user_id, k.key, k.id from nudged.message_key k where (k.user_id, k.key) in (select w.user_id, w.dedupe_key from wanted w)),
    -- Bounded by the limit itself: no user has many more rows.
    waiting as materialized (
        select m.user_id, count(*) as messages from nudged.message m
        where m.user_id = any (array(select distinct w.user_id from wanted w)) group by m.user_id
    ),
    asked as materialized (select w.*, coalesce(k.id, w.id) as known from wanted w left join keys k on k.user_id = w.user_id and k.key = w.dedupe_key),
    -- The new messages. A user with too many waiting messages must not be able to stop a message to everybody. Theirs
    -- are dropped, like a message to a user without a device.
    fresh as materialized (
        select a.*, coalesce(t.messages, 0) + row_number() over (partition by a.user_id order by a.place) > most as is_dropped
        from asked a left join waiting t on t.user_id = a.user_id where a.known = a.id
    ),
    inserted as (
        insert into nudged.message (
            user_id, id, title, body, data, urgent, category, thread_id, collapse_key, dedupe_key, expires_at, apns, deliver_at, deliver_local, texts
        )
        select
            f.user_id, f.id, f.title, f.body, f.data, f.urgent, f.category, f.thread_id, f.collapse_key, f.dedupe_key, f.expires_at, f.apns, f.deliver_at,
            f.deliver_local, f.texts
        from fresh f where not f.is_dropped
    ),
    dropped as (
        insert into nudged.delivery (user_id, kind, key, outcome, reason)
        select f.user_id, 'message', f.id::text, 'dropped', 'too_many_waiting' from fresh f where f.is_dropped
    ),
    woken as (
        insert into nudged.touched (user_id, urgent, arrival)
        select f.user_id, bool_or(f.urgent and num_nonnulls(f.deliver_at, f.deliver_local) = 0), true
        from fresh f where not f.is_dropped group by f.user_id
    )
    select a.user_id, a.known from asked a order by a.place;
end $$;

-- Cancels a message. done: this call was committed before the intent of its push. too_late: a phone may have it
-- already, since its outcome is unknown, or another device has got it. Then it is not tried again. Both are 0 if the
-- user has no such message. It does not wait for the daemon: a row that the daemon has locked is being sent.
create function nudged.cancel_message(recipient uuid, id uuid) returns nudged.result
language plpgsql set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare tried boolean;
begin
    if not exists (select from nudged.message m where m.user_id = recipient and m.id = cancel_message.id) then
        return nudged.result_of(done => 0);
    end if;
    begin
        perform 1 from nudged.message m where m.user_id = recipient and m.id = cancel_message.id for update skip locked;
        -- Leaving the block releases the row lock, so that the outcome doesn't wait for the caller's commit.
        if not found or exists (select from nudged.on_their_way(array[recipient], array[cancel_message.id])) then
            raise sqlstate 'ND001';
        end if;
    exception when sqlstate 'ND001' then
        return nudged.result_of(done => 0, too_late => 1);
    end;
    select exists (
        select 1
        from nudged.person p
        cross join lateral jsonb_array_elements(case jsonb_typeof(p.retry) when 'array' then p.retry else '[]' end) as r (retry)
        where p.user_id = recipient and (r.retry ->> 'key' = cancel_message.id::text or r.retry -> 'members' ? cancel_message.id::text) and r.retry ? 'counted_at'
    ) into tried;
    delete from nudged.message m where m.user_id = recipient and m.id = cancel_message.id;
    insert into nudged.touched (user_id) values (recipient);
    insert into nudged.delivery (user_id, kind, key, outcome, reason) values (recipient, 'message', cancel_message.id::text, 'dropped', 'cancelled');
    return nudged.result_of(done => (not tried)::integer, too_late => tried::integer);
end $$;

-- Cancels waiting messages by what they have in common. Arguments that are null match all. It cancels at most 10,000 per
-- call: call it again until `done` is 0. `too_late` counts those that are being sent, or that a phone may have already:
-- the latter are not tried again. A search without an index ends after five seconds, since what it found stays locked. A
-- row that the daemon has locked is being sent, and is skipped. Rows are locked one by one, since Citus locks rows of
-- one user at a time. Only a plan for the actual values finds a user's messages by their key.
create function nudged.cancel_messages(
    call text, recipient uuid default null, title text default null, category text default null, thread_id text default null,
    dedupe_prefix text default null, sent_after timestamptz default null, sent_before timestamptz default null
) returns nudged.result language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan as $$ #variable_conflict use_column
declare
    most constant integer := 10000;
    search_end constant timestamptz := clock_timestamp() + interval '5 seconds';
    is_late boolean := false;
    going uuid[]; whose uuid[]; which uuid[]; ready integer;
    cancelled bigint := 0;
    left_alone bigint;
    tried bigint := 0;
    one record;
begin
    if nudged.refuse(call, coalesce(
        case when num_nonnulls(recipient, cancel_messages.title, cancel_messages.category, cancel_messages.thread_id, dedupe_prefix, sent_after, sent_before) = 0
            then array['no argument is given', 'Give the user, the title, the category, the thread, the beginning of the dedupe_key or the time of the messages.'] end,
        nudged.key_fault('category', cancel_messages.category), nudged.key_fault('thread_id', cancel_messages.thread_id),
        nudged.key_fault('dedupe_prefix', dedupe_prefix), nudged.isolation_fault('a message'))) then end if;
    -- Those are left alone, so that their outcomes don't wait for the caller's commit.
    going := array(
        select nudged.on_their_way(array_agg(m.user_id), array_agg(m.id)) from nudged.message m
        where m.id = any (array(select o from nudged.intent i cross join lateral unnest(i.message_ids) as o)) and (recipient is null or m.user_id = recipient)
    );
    loop
        ready := 0;
        whose := '{}';
        which := '{}';
        left_alone := 0;
        -- A user's messages are found by the primary key alone, so || '' keeps the other indexes out. With them, the planner
        -- may read a whole campaign that the statistics don't know yet.
        for one in
            select * from (
                select
                    m.user_id, m.id, m.id = any (going) as is_going,
                    ((cancel_messages.title is null or m.title = cancel_messages.title)
                        and (cancel_messages.thread_id is null or m.thread_id = cancel_messages.thread_id)
                        and (sent_after is null or m.created_at >= sent_after)
                        and (sent_before is null or m.created_at < sent_before)) is true as matches
                from nudged.message m
                where (recipient is null or m.user_id = recipient)
                  and (dedupe_prefix is null or case
                      when recipient is null then starts_with(m.dedupe_key, dedupe_prefix) else starts_with(m.dedupe_key || '', dedupe_prefix) end)
                  and (cancel_messages.category is null or case
                      when recipient is null then m.category = cancel_messages.category else m.category || '' = cancel_messages.category end)
            ) f
            -- One of a thousand other rows comes too, so that the loop looks at the clock.
            where f.matches or uuid_hash(f.id) & 1023 = 0
        loop
            exit when ready = most;
            if not one.matches then
                is_late := clock_timestamp() > search_end;
                exit when is_late;
                continue;
            end if;
            if not one.is_going then
                perform 1 from nudged.message m where m.user_id = one.user_id and m.id = one.id for update skip locked;
                if found then
                    ready := ready + 1;
                    whose[ready] := one.user_id;
                    which[ready] := one.id;
                    continue;
                end if;
            end if;
            left_alone := left_alone + 1;
        end loop;
        -- A statement of its own, after the locks: it sees whether an intent came first.
        select array_agg(w.user_id), array_agg(w.id) into whose, which
        from unnest(whose, which) as w (user_id, id) where w.id not in (select nudged.on_their_way(whose, which));
        left_alone := left_alone + ready - coalesce(cardinality(which), 0);
        tried := tried + (
            select count(distinct w.id)
            from unnest(whose, which) as w (user_id, id)
            join nudged.person p on p.user_id = w.user_id and p.retry is not null
            cross join lateral jsonb_array_elements(case jsonb_typeof(p.retry) when 'array' then p.retry else '[]' end) as r (retry)
            where (r.retry ->> 'key' = w.id::text or r.retry -> 'members' ? w.id::text) and r.retry ? 'counted_at'
        );
        with gone as (
            delete from nudged.message m using unnest(whose, which) as w (user_id, id) where m.user_id = w.user_id and m.id = w.id
            returning m.user_id, m.id
        ),
        touched as (insert into nudged.touched (user_id) select distinct user_id from gone)
        insert into nudged.delivery (user_id, kind, key, outcome, reason) select user_id, 'message', id::text, 'dropped', 'cancelled' from gone;
        cancelled := cancelled + coalesce(cardinality(which), 0);
        -- A caller repeats the call until `done` is 0. So a page of messages that were tried does not end it.
        exit when cancelled > tried or ready < most;
    end loop;
    if nudged.refuse(call, case when is_late and cancelled = tried then array['five seconds have passed, and no message was found that can be cancelled',
        'Give the user, the category or the beginning of the dedupe_key as well: an index finds these.', '54000'] end) then end if;
    return nudged.result_of(done => cancelled - tried, too_late => left_alone + tried);
end $$;

create function nudged.prune_message_keys() returns bigint language sql security definer set search_path = pg_catalog, pg_temp as $$
    with gone as (
        delete from nudged.message_key k where (k.user_id, k.key) in (
            select o.user_id, o.key from nudged.message_key o where o.at < now() - interval '30 days' order by o.at limit 5000
        ) returning 1
    )
    select count(*) from gone
$$;

select nudged.finish_tables();

select nudged.describe('nudged.message', 'Messages that wait to be sent. The app inserts rows with nudged_api.send, and the daemon deletes them when they end. nudged.delivery keeps their outcome, without the text.',
    'id', 'The message''s id, as nudged_api.send returned it.', 'created_at', 'When nudged_api.send was called.',
    'data', 'Members of the payload beside "aps": a JSON object, or null.',
    'category', 'Apple''s notification category: which actions the phone offers.', 'thread_id', 'Apple''s thread id: what the phone groups.',
    'collapse_key', 'Of several waiting messages with one key only the newest is sent.',
    'dedupe_key', 'The dedupe_key that nudged_api.send was given.',
    'apns', 'How the phone shows it: the argument apns, without category, thread_id and data, which are columns.',
    'deliver_at', 'Not before this instant. Null: see deliver_local.',
    'deliver_local', 'Not before this wall time in the user''s own zone. Null: see deliver_at, or at once.',
    'texts', 'Title and body by language: the closest to the user''s locale replaces the columns title and body. Null: none.',
    'wakes_at', 'The earliest instant at which it can be due in any zone. Null: at once.');
comment on table nudged.message_key is 'The id that each dedupe_key got, for 30 days. nudged_api.send writes it; the daemon deletes old rows.';
comment on type nudged.new_message is 'The arguments of one message, for nudged_api.send_many.';
comment on function nudged_api.send is 'Sends a message to a user: at once, or when their quiet hours and limits allow it. Returns its id and warnings.';
comment on function nudged_api.send_many(jsonb) is 'Sends many messages: a JSON array of objects with the arguments of nudged_api.send. All or none. Returns a row for each, in their order.';
comment on function nudged_api.send_many(uuid[],text,text,jsonb,boolean,text,text,text,timestamptz,text,jsonb,timestamptz,timestamp,jsonb) is 'Sends one message to many users. All or none. Returns a row for each, in their order.';
comment on function nudged.prune_message_keys is 'Deletes dedupe keys older than 30 days, some thousands per call. The daemon calls it.';
