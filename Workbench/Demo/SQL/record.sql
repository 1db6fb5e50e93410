-- The recorded outcome of every push that reached Apple or may have. Rows: apns-id, outcome.
select apns_id, outcome from nudged.delivery where outcome in ('accepted', 'unknown') and apns_id is not null
limit 10000000
