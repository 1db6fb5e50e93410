-- Appends a touch for each of these users, so that a daemon adds them. $1 users. No rows.
insert into nudged.touched (user_id) select u from unnest($1::uuid[]) as u order by u
