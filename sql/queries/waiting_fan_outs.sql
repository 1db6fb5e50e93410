-- Fan-outs that could have been due a minute ago and are not finished: the first of them, and how many ($1: at least so
-- many). A wall time can be due fourteen hours before the same time in UTC. Rows: one, or none.
with waiting as materialized (
    select wakes_at, reminder_id, subject_type, subject_id from nudged.occurrence
    where is_fan_out and wakes_at <= statement_timestamp() - interval '1 minute'
    order by wakes_at
    limit $1
)
select (select count(*) from waiting), w.wakes_at, w.reminder_id, w.subject_type, w.subject_id
from waiting w
order by w.wakes_at
limit 1
