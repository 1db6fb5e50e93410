-- Which of nudged's roles can't be used yet: the migration was not allowed to make them, or they were made after it.
-- Rows: role, whether it exists.
select wanted.role, r.oid is not null
from unnest(array['nudged_daemon', 'nudged_app']) with ordinality as wanted (role, place)
left join pg_roles r on r.rolname = wanted.role
where r.oid is null or not has_schema_privilege(r.oid, 'nudged', 'usage')
order by wanted.place
