-- Whether anyone is still due, and whether one of them is free. $1 the policy's now. One row: due, free, and the milliseconds until the first lease ends.
with due as materialized (
    select lease_until from nudged.person where due_at <= $1 order by due_at, user_id limit 10000
)
select
    exists (select from due) or exists (select from nudged.touched) or exists (select from nudged.intent where expires_at < statement_timestamp()),
    exists (select from due where lease_until is null or lease_until < statement_timestamp()),
    coalesce(extract(epoch from (select min(lease_until) from due where lease_until >= statement_timestamp()) - statement_timestamp()) * 1000, 0)::bigint
