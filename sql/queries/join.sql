-- Makes a daemon a member. $1 member, $2 daemon id, $3 its lease in milliseconds.
with joined as (
    insert into nudged.member (id, daemon_id) values ($1, $2) on conflict (id) do nothing
)
insert into nudged.lease (member, alive_until) values ($1, statement_timestamp() + $3 * interval '1 millisecond')
on conflict (member) do nothing
