-- The state of nudged's triggers on the app's tables. $1 tables of schema public, $2 the trigger for each. Rows, in the
-- order of $1: pg_trigger.tgenabled (O and A: it fires; D: disabled; R: on replicas only), null if the trigger is
-- missing.
select t.tgenabled::text
from unnest($1::text[], $2::text[]) with ordinality as w (relation, name, place)
left join (
    select c.relname, g.tgname, g.tgenabled
    from pg_trigger g
    join pg_class c on c.oid = g.tgrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and not g.tgisinternal
) as t on t.relname = w.relation and t.tgname = w.name
order by w.place
