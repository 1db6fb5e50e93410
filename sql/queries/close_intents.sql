-- Closes intents whose outcomes are recorded. $1 those of which nothing else is open: they go (an empty row keeps its place: withdraw_intents.sql).
-- Parallel: $2 intents of which others are still open, $3 their users who are settled.
with whole as (
    delete from nudged.intent where id = any ($1) and withdrawn_until is null returning 1
),
part as (
    update nudged.intent i set settled = i.settled || p.users
    from (select id, array_agg(user_id) as users from unnest($2::uuid[], $3::uuid[]) as u (id, user_id) group by id) p
    where i.id = p.id and i.withdrawn_until is null
    returning 1
)
select (select count(*) from whole), (select count(*) from part)
