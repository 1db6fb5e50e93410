-- Takes free ranges, up to the fair share of 64. $1 member.
-- Members whose lease has ended don't count. SKIP LOCKED: two members that take ranges at once share those that are
-- free.
update nudged.range set owner = $1
where id = any (array(
    select id from nudged.range
    where owner is null
    order by random()
    limit (
        select greatest(0, ceil(64.0 / greatest(1, count(*)))::integer - (select count(*) from nudged.range where owner = $1)::integer)
        from nudged.lease where alive_until > statement_timestamp()
    )
    for update skip locked
))
