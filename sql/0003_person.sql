-- The queue: one narrow row per user, and the changes that wait to be seen.

create table nudged.person (
    user_id uuid primary key,
    -- Raised by every drained touch. The upper 32 bits count what changed: a decision made on other ones is not carried out. The lower 32 count what came to be
    -- sent since then (0013_messages.sql), from 0 again with each change.
    version bigint not null default 1,
    -- The earliest instant at which the policy's answer can change.
    due_at timestamptz not null,
    -- In no index and in no index predicate, so that claiming is a HOT update.
    lease_id uuid,
    lease_until timestamptz,
    -- The newest touch that no decision has seen.
    touched_at timestamptz,
    -- policy.md `since`, and the fingerprint of what sets it.
    since timestamptz,
    fingerprint bigint,
    -- When the policy was last asked: slots that went by later are recorded as skipped.
    asked_at timestamptz,
    -- The history that the policy reads (check_in_at and check_in_slot are parallel).
    check_in_at timestamptz[] not null default '{}',
    check_in_slot date[] not null default '{}',
    closed date[] not null default '{}',
    sent timestamptz[] not null default '{}',
    -- The nudge whose devices are not all answered yet (docs/ARCHITECTURE.md, "What is left of a nudge").
    retry jsonb
) with (
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05
);
create index person_due on nudged.person (due_at, user_id);

create table nudged.touched (
    user_id uuid not null,
    id bigint generated always as identity,
    at timestamptz not null default clock_timestamp(),
    primary key (user_id, id)
) with (autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000);

alter table nudged.person enable row level security;
alter table nudged.touched enable row level security;

-- For apps whose own tables the policy's views read: says that something about this user changed.
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
revoke all on function nudged.touch(uuid) from public;

-- SECURITY DEFINER, since the app's roles have no rights on nudged's tables. Only appends: the app's transaction never waits
-- for a row that the daemon holds.
create function nudged.touch_row() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if tg_op <> 'DELETE' and new.user_id is not null then
        insert into nudged.touched (user_id) values (new.user_id);
    end if;
    if tg_op <> 'INSERT' and old.user_id is not null and (tg_op = 'DELETE' or old.user_id is distinct from new.user_id) then
        insert into nudged.touched (user_id) values (old.user_id);
    end if;
    return null;
end
$$;
revoke all on function nudged.touch_row() from public;

-- Compared as text: a found column may be json, which has no equality.
create trigger nudged_profile_changed after update on public.context_profiles
for each row when (
    old.user_id is distinct from new.user_id
    or old.notification_preferences::text is distinct from new.notification_preferences::text
    or old.timezone is distinct from new.timezone
    or old.first_session_complete is distinct from new.first_session_complete
) execute function nudged.touch_row();
create trigger nudged_profile_came after insert or delete on public.context_profiles
for each row execute function nudged.touch_row();

create trigger nudged_device_changed after update on public.push_tokens
for each row when (
    old.user_id is distinct from new.user_id
    or old.device_token is distinct from new.device_token
    or old.platform is distinct from new.platform
    or old.environment is distinct from new.environment
    or old.topic is distinct from new.topic
) execute function nudged.touch_row();
create trigger nudged_device_came after insert or delete on public.push_tokens
for each row execute function nudged.touch_row();

-- Everyone who is there already is asked once, now: the policy's clock counts whole seconds.
insert into nudged.person (user_id, due_at)
select distinct user_id, date_trunc('second', now()) from nudged.recipient;
