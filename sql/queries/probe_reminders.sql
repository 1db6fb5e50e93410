-- Reads one column of a user's reminders as claim_reminders.sql does, to find the one that is refused. $1 user, $2
-- column.
select case $2::text
    when 'subject_type' then octet_length(subject_type)
    when 'subject_id' then octet_length(subject_id)
    when 'title' then octet_length(title)
    when 'body' then octet_length(body)
    when 'apns' then octet_length(apns::text)
    when 'due_local' then extract(epoch from due_local at time zone 'UTC')::bigint
    when 'timezone' then octet_length(timezone)
    when 'recurrence' then octet_length(recurrence)
end
from nudged.occurrence
where user_id = $1
limit 1000
