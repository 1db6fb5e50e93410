-- Deleting tokens and making partitions, each a little more careful.

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
        -- Both name the user: so it is one machine's, where the app has distributed the table.
        where user_id = recipient and ctid = any (array(
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

-- Makes the partitions (one a UTC day) from yesterday to `days_ahead`, and drops those that ended more than `keep_days` ago.
-- A day whose rows already lie in the default partition stays there. Returns how many were made and dropped.
create or replace function nudged.maintain_delivery(days_ahead integer, keep_days integer, out made integer, out dropped integer)
language plpgsql
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
    today date := (now() at time zone 'UTC')::date;
    day date;
    part text;
begin
    made := 0;
    dropped := 0;
    -- Two daemons at once: the first does it.
    if not pg_try_advisory_xact_lock(hashtextextended('nudged.maintain_delivery', 0)) then
        return;
    end if;
    for day in select d::date from generate_series(today - 1, today + days_ahead, interval '1 day') d loop
        part := 'delivery_' || to_char(day, 'YYYYMMDD');
        if to_regclass('nudged.' || part) is null and not exists (
            select from nudged.delivery_default
            where attempted_at >= day::timestamptz and attempted_at < (day + 1)::timestamptz
        ) then
            execute format('create table nudged.%I partition of nudged.delivery for values from (%L) to (%L)',
                part, day::timestamptz, (day + 1)::timestamptz);
            execute format('alter table nudged.%I enable row level security', part);
            made := made + 1;
        end if;
    end loop;
    for part in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'nudged.delivery'::regclass
          and c.relname ~ '^delivery_[0-9]{8}$'
          and to_date(right(c.relname, 8), 'YYYYMMDD') < today - keep_days
    loop
        execute format('drop table nudged.%I', part);
        dropped := dropped + 1;
    end loop;
    delete from nudged.delivery_default where attempted_at < (today - keep_days)::timestamptz;
end
$$;
