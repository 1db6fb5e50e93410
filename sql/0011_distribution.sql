-- What a database on several machines needs (docs/SCALING.md), and one machine has too, so that there is one way for both.

-- A claim asks for ranges of the hash of user_id: daemons begin in different ones, and where Citus distributes the table a range lies in one shard
-- (both cut the same 32-bit hash; 64 ranges, so with up to 64 shards, a power of two).
drop index nudged.person_due;
create index person_due on nudged.person ((uuid_hash(user_id) >> 26), due_at, user_id);

-- What a user's quarantine becomes: the new entries, then what is known of other devices. Immutable, since an UPDATE across shards evaluates nothing
-- less; it asks for nothing outside its arguments.
create function nudged.merged_quarantine(known jsonb, entries jsonb) returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $$
    select entries || coalesce((
        -- The newest say all that counts of a device; bounded like the devices themselves.
        select jsonb_agg(e.entry order by e.place) from (
            select entry, place
            from jsonb_array_elements(case when jsonb_typeof(known) = 'array' then known end) with ordinality as o (entry, place)
            where not exists (
                select 1 from jsonb_array_elements(entries) n
                where n ->> 'device' = entry ->> 'device' and n ->> 'environment' = entry ->> 'environment' and n ->> 'topic' = entry ->> 'topic'
            )
            order by place
            limit 100
        ) e
    ), '[]')
$$;

-- Where the citus extension is: rows about users are distributed by user_id. The intents, chunks of pushes of many users, stay on the coordinator,
-- like daemons and migrations: as a table on every machine each of them would be locked before or after the users' rows, and two daemons deadlock.
-- Called again by each later migration that makes such a table. Says what it distributed.
create function nudged.distribute() returns setof text
language plpgsql
as $$
declare
    wanted record;
begin
    if not exists (select 1 from pg_extension where extname = 'citus') then
        return;
    end if;
    for wanted in
        select c.oid, c.relname
        from pg_class c
        where c.relnamespace = 'nudged'::regnamespace
          and c.relkind in ('r', 'p') and not c.relispartition
          and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped)
          and not exists (select 1 from pg_dist_partition d where d.logicalrelid = c.oid)
        -- The users' rows first: the others lie beside them.
        order by c.relname <> 'person', c.relname
    loop
        execute format('select create_distributed_table(%L, ''user_id'', colocate_with => %L)', wanted.oid::regclass,
            case when wanted.relname = 'person' then 'default' else 'nudged.person' end);
        return next wanted.relname;
    end loop;
end
$$;
revoke all on function nudged.distribute() from public;

do $$
declare
    fired record;
begin
    if exists (select 1 from pg_extension where extname = 'citus') then
        perform nudged.distribute();
        -- Triggers on a distributed table run on the machines of its shards, where nudged's own tables are not written: such an app calls nudged.touch.
        for fired in
            select t.tgname, t.tgrelid::regclass as relation
            from pg_trigger t join pg_dist_partition d on d.logicalrelid = t.tgrelid
            where not t.tgisinternal and t.tgname like 'nudged\_%'
        loop
            execute format('drop trigger %I on %s', fired.tgname, fired.relation);
        end loop;
    end if;
end
$$;
