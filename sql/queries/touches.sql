-- The oldest touches of this daemon's ranges, urgent ones first. $1 ranges, $2 from this id on, $3 most, $4 users to
-- skip (set aside).
-- Rows: id, user_id, whether it is urgent.
with hurried as materialized (
    select id, user_id from nudged.touched
    where urgent and id >= $2 and uuid_hash(user_id) >> 26 = any ($1::integer[]) and user_id <> all ($4)
    order by id
    limit $3
),
others as materialized (
    select id, user_id from nudged.touched
    where not urgent and id >= $2 and uuid_hash(user_id) >> 26 = any ($1::integer[]) and user_id <> all ($4)
    order by id
    limit $3
)
select id, user_id, true as urgent from hurried union all select id, user_id, false from others
order by urgent desc, id
limit $3
