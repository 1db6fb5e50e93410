-- Whether row-level security hides nudged's rows from this role, or the app's rows from the owners of the views that
-- read them. Then the daemon would find no users, without an error. PostgreSQL's rules are applied: not to a superuser,
-- not to the table's owner unless forced, not where a policy lets the role read. One row.
with reading as (
    select to_regclass('nudged.person')::oid as relation, (select oid from pg_roles where rolname = current_user) as reader
    union
    -- A view reads with its owner's rights.
    select d.refobjid, v.relowner
    from pg_class v
    join pg_rewrite w on w.ev_class = v.oid
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_class'::regclass
    where v.oid in (to_regclass('nudged.recipient'), to_regclass('nudged.device'))
)
select exists (
    select 1
    from reading g
    join pg_class c on c.oid = g.relation and c.relrowsecurity
    join pg_roles r on r.oid = g.reader
    where not r.rolsuper and not r.rolbypassrls
      and (c.relforcerowsecurity or not pg_has_role(g.reader, c.relowner, 'usage'))
      and not exists (
          select 1 from pg_policy p cross join lateral unnest(p.polroles) as o (role)
          where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('r', '*')
            and (o.role = 0 or pg_has_role(g.reader, o.role, 'usage'))
      )
)
