-- Deleting tokens, a little more careful.

-- A registration that was stored without its zone (`timestamp`) may be the server's local time or UTC: the later of the two counts, so that no
-- token goes that registered anew.
create or replace function nudged.forget_device(
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
              and coalesce(nullif(t.environment::text, ''), apns_environment) = apns_environment
              and coalesce(nullif(t.topic::text, ''), apns_topic) = apns_topic
              and coalesce(
                  case when pg_typeof(greatest(t.created_at, t.updated_at)) = 'timestamp'::regtype
                  then greatest(
                      greatest(t.created_at, t.updated_at)::timestamptz, greatest(t.created_at, t.updated_at)::timestamp at time zone 'UTC')
                  else greatest(t.created_at, t.updated_at)::timestamptz end,
                  '-infinity') < unregistered_at
            for update skip locked
        ))
        returning 1
    )
    select exists (select from gone)
$$;
