-- How many users wait for the paused kinds $2, each counted up to $1.
-- One row: users whose check-ins the pause holds, users with waiting messages, users with due reminders. 0: the kind is
-- not in $2.
select
    (
        select count(*) from (
            select 1 from nudged.person where reason = 'paused' and 'check_in' = any ($2::text[]) limit $1
        ) as held
    ),
    (
        select count(*) from (
            select distinct user_id from nudged.message where 'message' = any ($2::text[]) limit $1
        ) as waiting
    ),
    (
        select count(*) from (
            select distinct user_id from nudged.occurrence
            where wakes_at <= statement_timestamp() and not is_fan_out and 'reminder' = any ($2::text[])
            limit $1
        ) as waiting
    )
