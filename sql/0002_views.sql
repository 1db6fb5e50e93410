-- How the daemon sees the app: two views and one function. An operator whose schema differs redefines these three, and nothing else.

-- One row per person who could be nudged. preferences: policy.md, any JSON or null.
create view nudged.recipient as
select
    user_id,
    notification_preferences as preferences,
    timezone,
    -- Unknown counts as not yet: nobody is nudged before a first session that nobody saw.
    coalesce(first_session_complete, false) as first_session_complete
from public.context_profiles
where user_id is not null;

-- One row per device of Apple's platforms. registered_at: when the app last presented this token.
create view nudged.device as
select
    user_id,
    device_token as token,
    greatest(created_at, updated_at) as registered_at,
    environment,
    topic
from public.push_tokens
where lower(platform::text) in ('ios', 'ipados', 'macos', 'watchos', 'tvos', 'visionos', 'apple', 'apns');

-- The only place that deletes a token: after a 410, and only where the device has not registered anew since `unregistered_at`.
-- A row that the app holds is being registered anew, or will answer 410 again: it is left, and nobody waits.
create function nudged.forget_device(
    recipient uuid, device text, apns_environment text, apns_topic text, unregistered_at timestamptz
) returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$
    with gone as (
        delete from public.push_tokens
        where ctid = any (array(
            select t.ctid from public.push_tokens t
            where t.user_id = recipient
              and t.device_token::text = device
              and coalesce(t.environment::text, apns_environment) = apns_environment
              and coalesce(t.topic::text, apns_topic) = apns_topic
              and coalesce(greatest(t.created_at, t.updated_at), '-infinity') < unregistered_at
            for update skip locked
        ))
        returning 1
    )
    select exists (select from gone)
$$;
