-- Deleting tokens, a little more careful.

-- A registration that was stored without its zone (`timestamp`) may be the server's local time or UTC: the later of the two counts, so that no
-- token goes that registered anew.
create or replace function nudged.forget_device(
    recipient uuid, device text, apns_environment text, apns_topic text, unregistered_at timestamptz
) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
    -- Both name the user: so it is one machine's, where the app has distributed the table (Citus refuses this in a function of language sql). What is asked for
    -- goes by the function's name: the app's table may have a column `device`.
    delete from public.push_tokens
    where user_id = forget_device.recipient and ctid = any (array(
        select t.ctid from public.push_tokens t
        where t.user_id = forget_device.recipient
          and t.device_token::text = forget_device.device
          and coalesce(nullif(t.environment::text, ''), forget_device.apns_environment) = forget_device.apns_environment
          and coalesce(nullif(t.topic::text, ''), forget_device.apns_topic) = forget_device.apns_topic
          and coalesce(
              case when pg_typeof(greatest(t.created_at, t.updated_at)) = 'timestamp'::regtype
              then greatest(
                  greatest(t.created_at, t.updated_at)::timestamptz, greatest(t.created_at, t.updated_at)::timestamp at time zone 'UTC')
              else greatest(t.created_at, t.updated_at)::timestamptz end,
              '-infinity') < forget_device.unregistered_at
        for update skip locked
    ));
    return found;
end
$$;

-- Deletes tokens that 410s proved stale (parallel lists), each only where the record holds that answer, by its apns-id, since an instant. Returns how many
-- went. A call and no question over lists: Citus may send such a question to a machine that has none of the app's tables.
create function nudged.forget_devices(
    recipients uuid[], devices text[], environments text[], topics text[], instants timestamptz[], apns_ids uuid[], since timestamptz
) returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    refused uuid[];
    stale record;
    gone bigint := 0;
begin
    select array_agg(d.apns_id) into refused from nudged.delivery d
    where d.user_id = any (recipients) and d.attempted_at >= since and d.outcome = 'rejected';
    for stale in
        select w.* from unnest(recipients, devices, environments, topics, instants, apns_ids)
            as w (user_id, device, environment, topic, instant, apns_id)
        where w.apns_id = any (refused)
    loop
        if nudged.forget_device(stale.user_id, stale.device, stale.environment, stale.topic, stale.instant) then
            gone := gone + 1;
        end if;
    end loop;
    return gone;
end
$$;
