-- Previews: what would become of a message if it were sent now. One call leaves the question. The daemon that owns the
-- user's range usually answers it within a second, with the planner of its sweeps. The same call then reads the answer.
-- It takes two, since the daemon can't see a question before its transaction is committed.

-- Questions and answers, for five minutes. The columns of the message are those of nudged.message.
create table nudged.preview (
    user_id uuid not null, id uuid not null, asked_at timestamptz not null default clock_timestamp(),
    title text not null check (octet_length(title) <= 4096), body text not null check (octet_length(body) <= 4096),
    data jsonb check (pg_column_size(data) <= 65536), urgent boolean not null default false,
    category text check (octet_length(category) <= 255), thread_id text check (octet_length(thread_id) <= 255),
    collapse_key text check (octet_length(collapse_key) <= 255),
    expires_at timestamptz, apns jsonb check (pg_column_size(apns) <= 65536), deliver_at timestamptz, deliver_local timestamp,
    texts jsonb check (pg_column_size(texts) <= 65536),
    -- Null: not answered yet.
    answer jsonb check (pg_column_size(answer) <= 65536),
    -- The answer was returned. The next call asks again.
    is_read boolean not null default false,
    primary key (user_id, id)
);
-- A daemon reads the open questions a few times a second.
create index preview_open on nudged.preview (asked_at) where answer is null;
create index preview_asked_at on nudged.preview (asked_at);

-- The answer to a question, once; null: not yet. The first call leaves the question, and the same call asks for its
-- answer. A user can have ten questions in five minutes, since the decision service may be asked about each. A signed-in
-- user's questions count as calls, and asking for their answers does not.
create function nudged.ask_preview(
    call text, recipient uuid, title text, body text, data jsonb default null, urgent boolean default false, category text default null,
    thread_id text default null, collapse_key text default null, expires_at timestamptz default null, apns jsonb default null,
    deliver_at timestamptz default null, deliver_local timestamp default null, texts jsonb default null
) returns jsonb language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    asked record; message nudged.new_message;
    -- Less for signed-in users, so that they can't block backends.
    most constant integer := case call when 'nudged_me.preview' then 500 else 1000 end;
begin
    message := nudged.checked_message(call, row(
        recipient, title, body, data, urgent, category, thread_id, collapse_key,
        -- Otherwise the next call would not be the same question.
        coalesce(expires_at, 'infinity'), null, apns, deliver_at, deliver_local, texts)::nudged.new_message);
    if nudged.refuse(call, case when nudged.surface_kind(message.apns) is not null then array[
        format('apns.%s is given', nudged.surface_kind(message.apns)), 'Only notifications have a preview.'] end) then end if;
    select p.id, p.answer into asked from nudged.preview p where p.user_id = message.user_id and not p.is_read
      -- An older one is not answered any more, or its answer may not hold any more.
      and p.asked_at > now() - interval '1 minute'
      and (p.title, p.body, p.data, p.urgent, p.category, p.thread_id, p.collapse_key, p.expires_at, p.apns, p.deliver_at, p.deliver_local, p.texts)
          is not distinct from (
              message.title, message.body, message.data, message.urgent, message.category, message.thread_id, message.collapse_key,
              message.expires_at, message.apns, message.deliver_at, message.deliver_local, message.texts)
    order by p.answer is null, p.asked_at desc limit 1;
    if found then
        update nudged.preview p set is_read = true where p.user_id = message.user_id and p.id = asked.id and asked.answer is not null;
        return asked.answer;
    end if;
    if call = 'nudged_me.preview' then perform nudged.counted_user(call); end if;
    -- Concurrent calls don't see each other's rows, so together they may exceed the limits.
    if nudged.refuse(call, case
        when (select count(*) from (select from nudged.preview p where p.user_id = message.user_id and p.asked_at > now() - interval '5 minutes' limit 10) as own) >= 10
            then array['the user had ten previews in the last five minutes', 'Wait a few minutes.', 'ND030']
        when (select count(*) from (select from nudged.preview p where p.answer is null limit most) as open) >= most then array[
            format('%s previews wait for an answer', most),
            case call when 'nudged_me.preview' then 'Ask again later.' else 'Check that a daemon runs (nudged status), and ask again later.' end, 'ND031']
    end) then end if;
    insert into nudged.preview (user_id, id, title, body, data, urgent, category, thread_id, collapse_key, expires_at, apns, deliver_at, deliver_local, texts)
    values (
        message.user_id, gen_random_uuid(), message.title, message.body, message.data, message.urgent, message.category, message.thread_id,
        message.collapse_key, message.expires_at, message.apns, message.deliver_at, message.deliver_local, message.texts);
    return null;
end $$;

select nudged.finish_tables();
select nudged.allow('nudged_daemon', 'select, update (answer), delete', 'nudged.preview');
select nudged.make_calls('preview', 'nudged.ask_preview', false,
    'What would become of a message to %s, as JSON. Nothing is sent or counted. Null: not answered yet; commit, and call it again.',
    'data', 'category', 'thread_id', 'collapse_key', 'expires_at', 'apns', 'deliver_at', 'deliver_local', 'texts');
select nudged.grant_roles();

comment on table nudged.preview is 'Questions about what would become of a message, and the daemon''s answers. None of them is sent. The functions insert rows; the daemon answers and deletes them, after five minutes.';
