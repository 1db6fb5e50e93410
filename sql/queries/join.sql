-- Makes a daemon a member. $1 member, $2 daemon id.
insert into nudged.member (id, daemon_id) values ($1, $2) on conflict (id) do nothing
