-- The record: append-only, one row per device and attempt; a slot that went by has one row with an empty device_hash.
-- outcome: accepted, rejected, deferred (Apple asked to come back later; another row follows), dropped, skipped, unknown.
create table nudged.delivery (
    user_id uuid not null,
    kind text not null,
    key text not null,
    slot date,
    device_hash text not null,
    apns_id uuid,
    outcome text not null check (outcome in ('accepted', 'rejected', 'deferred', 'dropped', 'skipped', 'unknown')),
    reason text,
    status smallint,
    attempted_at timestamptz not null,
    sweep_id uuid not null,
    primary key (user_id, attempted_at, kind, key, device_hash)
) partition by range (attempted_at);
create table nudged.delivery_default partition of nudged.delivery default;
alter table nudged.delivery enable row level security;
alter table nudged.delivery_default enable row level security;

-- Makes the partitions (one a UTC day) from yesterday to `days_ahead`, and drops those that ended more than `keep_days` ago.
-- A day whose rows already lie in the default partition stays there. Returns how many were made and dropped.
create function nudged.maintain_delivery(days_ahead integer, keep_days integer, out made integer, out dropped integer)
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
    -- Two daemons at once: the second waits, and finds the work done.
    perform pg_advisory_xact_lock(hashtextextended('nudged.maintain_delivery', 0));
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

select nudged.maintain_delivery(7, 90);
