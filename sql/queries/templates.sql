-- The active templates of check-ins, in an order that never changes. $1 most rows; more are not read.
-- Rows: id, domain, locale, title, body, weight, action, apns without data, data.
select id, domain, locale, title, body, weight, action, (apns - 'data')::text, (apns -> 'data')::text
from nudged.template
where active
order by id
limit $1
