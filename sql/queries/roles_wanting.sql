-- Which of nudged's roles can't be used yet: the migration was not allowed to make them, or they were made after it.
-- nudged_daemon must be able to use schema nudged, nudged_app schema nudged_api. nudged_writer must own the functions
-- that write the app's table. Rows: role, whether it exists.
select wanted.role, r.oid is not null
from unnest(array['nudged_daemon', 'nudged_app', 'nudged_writer']) with ordinality as wanted (role, place)
left join pg_roles r on r.rolname = wanted.role
where r.oid is null or case wanted.role
    when 'nudged_daemon' then not has_schema_privilege(r.oid, 'nudged', 'usage')
    when 'nudged_app' then not has_schema_privilege(r.oid, 'nudged_api', 'usage')
    else exists (
        select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relname = 'push_tokens' and c.relkind in ('r', 'p')
    ) and exists (
        select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'nudged' and p.proname = 'write_device' and p.proowner <> r.oid
    )
end
order by wanted.place
