-- Which of nudged's roles can't be used yet: making them was refused to the role that migrated, or they came after. Rows: role, whether it is there.
select wanted.role, r.oid is not null
from unnest(array['nudged_daemon', 'nudged_app']) with ordinality as wanted (role, place)
left join pg_roles r on r.rolname = wanted.role
where r.oid is null or not has_schema_privilege(r.oid, 'nudged', 'usage')
order by wanted.place
