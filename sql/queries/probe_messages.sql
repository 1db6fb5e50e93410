-- Reads one column of a user's messages as claim_messages.sql does, to find the one that is refused. $1 user, $2
-- column.
select case $2::text
    when 'title' then octet_length(title)
    when 'body' then octet_length(body)
    when 'data' then octet_length((data - 'conversation_id' - 'domain')::text)
    when 'category' then octet_length(category)
    when 'thread_id' then octet_length(thread_id)
    when 'collapse_key' then octet_length(collapse_key)
    when 'apns' then octet_length(apns::text)
    when 'deliver_local' then extract(epoch from deliver_local at time zone 'UTC')::bigint
end
from nudged.message
where user_id = $1
limit 1000
