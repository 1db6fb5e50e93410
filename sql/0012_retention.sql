-- The record's housekeeping, for any retention (record.keepDays) and for a daemon that owns nothing.

-- Makes the partitions (one a UTC day) from yesterday to `days_ahead`, and drops those that ended more than `keep_days` ago.
-- A day whose rows already lie in the default partition stays there. Returns how many were made, and how many steps of dropping were done: one a
-- partition, and one for the oldest hour of what is too old in the default partition. Each call does a bounded part: where it did something, more may be
-- left, and the daemon calls again in a minute.
--
-- SECURITY DEFINER: only a table's owner makes and drops its partitions, and the daemon's role is not to own the record.
create or replace function nudged.maintain_delivery(days_ahead integer, keep_days integer, out made integer, out dropped integer)
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
    today date := (now() at time zone 'UTC')::date;
    oldest_kept date;
    day date;
    part text;
    oldest timestamptz;
begin
    made := 0;
    dropped := 0;
    if days_ahead is null or days_ahead not between 0 and 366 or keep_days is null or keep_days not between 1 and 36500 then
        raise invalid_parameter_value using message = 'nudged.maintain_delivery: days_ahead is 0 to 366, keep_days 1 to 36500';
    end if;
    oldest_kept := today - keep_days;
    -- Two daemons at once: the first does it.
    if not pg_try_advisory_xact_lock(hashtextextended('nudged.maintain_delivery', 0)) then
        return;
    end if;
    for day in select d::date from generate_series(today - 1, today + days_ahead, interval '1 day') d loop
        part := 'delivery_' || to_char(day, 'YYYYMMDD');
        if to_regclass('nudged.' || part) is null and not exists (
            select 1 from nudged.delivery_default
            where attempted_at >= day::timestamptz and attempted_at < (day + 1)::timestamptz
        ) then
            execute format('create table nudged.%I partition of nudged.delivery for values from (%L) to (%L)',
                part, day::timestamptz, (day + 1)::timestamptz);
            execute format('alter table nudged.%I enable row level security', part);
            made := made + 1;
        end if;
    end loop;
    -- In blocks of their own: a reader that is in the way of dropping must not undo what was made.
    begin
        -- The names are compared as text: in a table that a hand has named 20260231 there is no date to read. Few at once: each
        -- holds the whole record for itself until the commit.
        for part in
            select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'nudged.delivery'::regclass
              and c.relname ~ '^delivery_[0-9]{8}$'
              and right(c.relname, 8) < to_char(oldest_kept, 'YYYYMMDD')
            order by c.relname
            limit 10
        loop
            execute format('drop table nudged.%I', part);
            dropped := dropped + 1;
        end loop;
    exception when lock_not_available then
        dropped := 0;
    end;
    begin
        -- An hour of rows at once: the statement has seconds, and the default partition may hold what months left there.
        select min(attempted_at) into oldest from nudged.delivery_default where attempted_at < oldest_kept::timestamptz;
        if oldest is not null then
            delete from nudged.delivery_default where attempted_at < least(oldest_kept::timestamptz, oldest + interval '1 hour');
            dropped := dropped + 1;
        end if;
    exception when lock_not_available then
        null;
    end;
end
$$;
revoke all on function nudged.maintain_delivery(integer, integer) from public;
