-- What operators use: pauses, the templates of check-ins, and a test push.

-- Which kinds are paused (nudged pause, nudged resume). A daemon reads it at each sweep, and after each intent's commit
-- before the first byte. So no push of a paused kind is written from then on, whatever was decided before.
create table nudged.paused (
    kind text primary key check (kind in ('check_in', 'message', 'reminder')),
    since timestamptz not null default clock_timestamp(),
    -- Earlier than `since` after an interrupted resume and another pause.
    held_since timestamptz not null default clock_timestamp(),
    by_whom text not null check (octet_length(by_whom) <= 1024), reason text check (octet_length(reason) <= 16384), resumed_at timestamptz
);

-- Templates: the text of check-ins, with placeholders that the view's column `context` fills. One is drawn for each
-- slot (docs/TABLES.md).
-- Not about users: an operator's own rows, few and small. A daemon reads the active ones once per sweep.
create table nudged.template (
    id integer generated always as identity primary key,
    domain text check (octet_length(domain) <= 255), locale text check (octet_length(locale) <= 64),
    title text not null default '' check (octet_length(title) <= 4096), body text not null default '' check (octet_length(body) <= 4096),
    weight integer not null default 1, active boolean not null default true,
    action text check (action in ('open_conversation', 'new_conversation')),
    -- It has no placeholders.
    apns jsonb check (pg_column_size(apns) <= 65536)
);

-- Refuses a template that could never be sent, or not as it was meant. The error names the column and the remedy.
-- `{first_name}` is a placeholder; {{ and }} are braces.
create function nudged.check_template() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- As Template.swift reads it.
    syntax constant text := '[{][{]|[}][}]|[{][a-z][a-z0-9_]{0,62}[}]';
    bytes integer;
    -- The fault, the remedy, and the constraint that is violated.
    fault text[] := nudged.apns_fault(new.apns, 'template') || '{apns}';
begin
    new.title := coalesce(new.title, '');
    new.body := coalesce(new.body, '');
    if fault = '{apns}' then
        new.apns := nudged.stored_apns(new.apns);
        fault := nudged.text_fault(new.title, new.body, new.apns, 'template') || '{words}';
    end if;
    fault := case
        when cardinality(fault) = 3 then fault
        when regexp_replace(new.title, syntax, '', 'g') ~ '[{}]' or regexp_replace(new.body, syntax, '', 'g') ~ '[{}]' then array[
            format('%s has a brace that belongs to no placeholder', case when regexp_replace(new.title, syntax, '', 'g') ~ '[{}]' then 'title' else 'body' end),
            'A placeholder is a key of the context in braces, as {first_name}: small letters, digits and _. A brace itself is written {{ or }}.',
            'placeholders']
        when new.weight is null or new.weight not between 1 and 1000 then array[format('weight is %s', coalesce(new.weight::text, 'null')),
            'It is 1 to 1000: of two templates the one with twice the weight comes twice as often. To rest one, set active to false.', 'weight']
        when new.active is null then array['active is null', 'true: check-ins may take it. false: it rests. Left out, it is true.', 'active']
        when new.action not in ('open_conversation', 'new_conversation') then array['action is none that a tap knows',
            'Give open_conversation, new_conversation, or null for whichever fits the user.', 'action']
        when new.locale !~ '^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$' or octet_length(new.locale) > 64 then array['locale is no language',
            'Give a language as de, one of a region as pt-BR, or null for everyone whose own has no template.', 'locale']
        when new.domain = '' or octet_length(new.domain) > 255 then array[format('domain has %s bytes', octet_length(new.domain)),
            'It has 1 to 255 bytes, or is null for all domains.', 'domain']
    end;
    if fault is null then
        bytes := nudged.payload_bytes(
            new.title, new.body, coalesce(new.apns -> 'data', '{}') || jsonb_strip_nulls(jsonb_build_object('conversation_id', '', 'domain', new.domain)), false,
            new.apns ->> 'category', new.apns ->> 'thread_id', new.apns);
        if bytes <= 4096 then return new; end if;
        fault := array[format('the payload has %s bytes', bytes), format('Apple accepts 4096 bytes for the whole payload. Shorten %s. Filled-in values count as well.',
            nudged.longest(new.title, new.body, null, new.apns)), 'payload'];
    end if;
    raise check_violation using message = 'nudged.template: ' || fault[1], hint = fault[2], constraint = 'template_' || fault[3],
        schema = 'nudged', table = 'template';
end $$;
create trigger template_checked before insert or update on nudged.template for each row execute function nudged.check_template();

-- Built-in examples, ids 1 to 6. Inactive until asked for (nudged migrate --with-templates). nudged setup writes row 0.
insert into nudged.template (title, body, weight, action, active)
select t.title, t.body, t.weight, t.action, false
from (values
    (1, 'Thinking of you', 'I''m curious how your day has been. Tell me, whenever you like.', 2, null),
    (2, 'Hello, {first_name}', 'You just came to my mind. How are you today?', 3, null),
    (3, 'I''m here', 'Whenever you feel like talking, I have time for you.', 2, null),
    (4, 'A small hello', 'I hope today is being kind to you. What''s on your mind?', 2, null),
    (5, 'How did it go, {first_name}?', 'I remember that we talked about {topic}. I''d love to hear what came of it.', 4, null),
    (6, 'Shall we go on?', 'I''ve been thinking about our last talk, and I''d like to hear the rest.', 3, 'open_conversation')
) as t (place, title, body, weight, action) order by t.place;

-- Sends the signed-in user a test on their own devices: a message that passes quiet hours if the user allows that, and
-- expires after five minutes. Without a title and a body it has nudged's text. Refused if a device is of production. A
-- device without an environment has the one of the daemons' lanes: each daemon reports it in nudged.daemon, the main
-- app's lanes first. If no daemon is alive, or the lanes differ, it is unknown, and the test is refused. So is a test
-- for devices that no lane serves. If the devices change while it waits, it ends (statement `drain`).
create function nudged_me.send_test(title text default null, body text default null) returns nudged.result
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ #variable_conflict use_column
declare
    recipient uuid := nudged.counted_user('nudged_me.send_test');
    hour_ago timestamptz := clock_timestamp() - interval '1 hour';
    configured text; environments text[]; state text; made uuid; fault text[];
begin
    select case when count(distinct d.environment) = 1 then min(d.environment) end into configured
    -- A lane that can't be read makes the environment unknown as well. So do both of Apple's environments for one app.
    from (
        select coalesce(l.lane ->> 'environment', '') as environment from nudged.daemon
        cross join lateral jsonb_array_elements(case when daemon.state -> 'lanes' @> '[]' and daemon.state -> 'lanes' <> '[]' then daemon.state -> 'lanes' else '[null]' end) as l (lane)
        -- A daemon that has just joined has not reported its lanes yet.
        where seen_at > statement_timestamp() - interval '30 seconds' and daemon.state ? 'lanes'
          and l.lane ->> 'topic' is not distinct from daemon.state #>> '{lanes,0,topic}'
    ) d;
    select array_agg(distinct coalesce(nullif(d.environment::text, ''), configured, '')) into environments
    from nudged.device d where d.user_id = recipient;
    fault := case
        when environments is null then array['you have no device that nudged sends to',
            'Allow notifications on your device: the app registers it then (nudged_me.register_device).', 'ND013']
        when 'production' = any (environments) then array['a device of yours is of production, where no tests are sent',
            'Try it with a build from Xcode, whose device registers as sandbox; an operator has nudged send-test --force.', 'ND010']
        when environments <> '{sandbox}' then array['nobody knows whether your device is of production',
            'Register it with its environment (nudged_me.register_device), or see that a daemon runs (nudged status).', 'ND012']
        when exists (
            select from nudged.daemon d where d.seen_at > statement_timestamp() - interval '30 seconds' and jsonb_array_length(d.state -> 'lanes') > 0
        ) and not exists (
            select from nudged.daemon d
            cross join lateral jsonb_array_elements(case jsonb_typeof(d.state -> 'lanes') when 'array' then d.state -> 'lanes' else '[]' end) as l (lane)
            join nudged.device v on v.user_id = recipient and coalesce(nullif(v.topic::text, ''), l.lane ->> 'topic') is not distinct from l.lane ->> 'topic'
            where d.seen_at > statement_timestamp() - interval '30 seconds' and l.lane ->> 'environment' = 'sandbox'
        ) then array['no daemon sends to sandbox for the app on your device',
            'Ask an operator to add a sandbox lane for the app''s bundle id (apns in the configuration). If your device is of another app or environment, register it with its own topic and environment.',
            'ND016']
    end;
    if nudged.refuse('nudged_me.send_test', fault) then end if;
    -- Ten keys, each taken for an hour. Two calls at once can't take the same one.
    for place in 1..10 loop
        made := gen_random_uuid();
        insert into nudged.message_key as k (user_id, key, id, at) values (recipient, format('nudged.send_test %s', place), made, clock_timestamp())
        on conflict (user_id, key) do update set id = excluded.id, at = excluded.at where k.at <= hour_ago;
        exit when found;
        made := null;
    end loop;
    if nudged.refuse('nudged_me.send_test', case when made is null then array[
        'you have had ten tests in the last hour', 'Wait until the first of them is an hour old.', 'ND011'] end) then end if;
    made := (select s.id from nudged.insert_messages(array[nudged.checked_message('nudged_me.send_test: message 0', row(
        recipient, case when num_nulls(send_test.title, send_test.body) = 2 then 'nudged' else send_test.title end,
        case when num_nulls(send_test.title, send_test.body) = 2 then 'A test: this device can be reached.' else send_test.body end, '{"test": true}', true, null, null, null,
        statement_timestamp() + interval '5 minutes', null, null, null, null, null
    )::nudged.new_message)]) s);
    -- A hash of the user's devices. If it changes, the test ends (statement `drain`).
    select md5(string_agg(d.s, ',' order by d.s)) into state from (
        select concat_ws(' ', left(v.token::text, 512), left(v.environment::text, 256), left(v.topic::text, 256)) collate "C" as s
        from nudged.device v where v.user_id = recipient
    ) d;
    update nudged.message m set dedupe_key = 'nudged.send_test ' || state where m.user_id = recipient and m.id = made;
    return nudged.result_of(made);
end $$;

select nudged.finish_tables();
-- Operators pause with the daemon's own configuration and login, since an emergency leaves no time to find another one.
-- That is no new power: this login can hold back every nudge already.
select nudged.allow('nudged_daemon', 'select, insert, update, delete', 'nudged.paused');
select nudged.allow('nudged_daemon', 'select', 'nudged.template');
select nudged.allow('authenticated', 'execute', 'nudged_me.send_test');
select nudged.grant_roles();

select nudged.describe('nudged.paused', 'The kinds of nudges that are paused or being resumed. "nudged pause" and "nudged resume" write it.',
    'since', 'When sending stopped.', 'held_since', 'Since when users may have been held who are not due again yet.',
    'by_whom', 'Who paused it: user@host.', 'reason', 'The reason that the operator gave. Null: none.',
    'resumed_at', 'When it was resumed. The row is deleted once all users who were held are due. Null: it is paused.');
select nudged.describe('nudged.template', 'The text of check-ins, with placeholders such as {first_name}. You write it; a change takes effect at the next sweep (docs/TABLES.md). The rows 1 to 6 are built-in and inactive at first.',
    'id', 'Identifies the template, as in nudged.delivery.template.', 'domain', 'Only for users whose context has this domain. Null: for all.',
    'locale', 'A language (de), or one of a region (pt-BR). Null: for users whose own has no template.',
    'title', 'The title. {first_name} is a key of the user''s context; {{ and }} are braces.', 'body', 'The text, with placeholders as in the title.',
    'weight', '1 to 1000: of two templates, the one with twice the weight is drawn twice as often.', 'active', 'Whether check-ins use it.',
    'action', 'What a tap does: open_conversation or new_conversation. Null: it opens the user''s conversation, or begins one if there is none.',
    'apns', 'How the phone shows it: a JSON object as the argument apns of nudged_api.send, or null.');
comment on function nudged_me.send_test is 'Sends the signed-in user a test on their own devices, with their text or nudged''s. Returns the message''s id.';
