-- Closes intents for users whose outcomes are recorded. An empty row keeps its place (withdraw_intents.sql).
-- Parallel: $1 intents, $2 their users. $3 those of these intents of which the daemon has no other push: they are
-- deleted. If the database has other users of such an intent open, a promoted standby lacks their settlement, and the
-- intent becomes an orphan. $4 intents that were withdrawn: those that were committed are deleted.
with part as materialized (
    select id, array_agg(user_id) as users from unnest($1::uuid[], $2::uuid[]) as u (id, user_id) group by id
),
last as materialized (
    select i.id, exists (select unnest(i.user_ids) except (select unnest(i.settled) union all select unnest(p.users))) as is_open
    from nudged.intent i join part p on p.id = i.id
    where i.id = any ($3) and i.withdrawn_until is null
),
gone as (
    delete from nudged.intent
    where id = any ($4 || array(select id from last where not is_open)) and withdrawn_until is null
    returning 1
),
marked as (
    update nudged.intent i set settled = i.settled || p.users, member = case when i.id = any ($3) then null else i.member end
    from part p
    where i.id = p.id and i.withdrawn_until is null and i.id <> all (array(select id from last where not is_open))
    returning 1
)
select (select count(*) from gone), (select count(*) from marked)
