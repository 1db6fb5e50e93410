-- Whether anyone is still due, and whether one of them is free. $1 the policy's now, $2 all ranges of the claim's index.
-- One row: due, free, and the milliseconds until the first lease ends.
with due as materialized (
    select lease_until from nudged.person
    where uuid_hash(user_id) >> 26 = any ($2::integer[]) and due_at <= $1
    limit 10000
)
select
    exists (select 1 from due) or exists (select 1 from nudged.touched) or exists (select 1 from nudged.intent where expires_at < statement_timestamp())
    or exists (select 1 from nudged.occurrence where is_spread and wakes_at <= $1),
    exists (select 1 from due where lease_until is null or lease_until < statement_timestamp()),
    -- Nothing can be subtracted from an infinite one, which only a hand can have written.
    coalesce(extract(epoch from (
        select min(lease_until) from due where lease_until >= statement_timestamp() and isfinite(lease_until)
    ) - statement_timestamp()) * 1000, 0)::bigint
