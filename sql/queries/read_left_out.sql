-- A user's devices that no claim reads. $1 user. One row: rows of nudged.device without a token (a hundred at most),
-- and the platforms that the view leaves out (null: none, or not known).
select
    (select count(*) from (select 1 from nudged.device where user_id = $1 and token is null limit 100) as rows),
    nudged.devices_left_out($1)
