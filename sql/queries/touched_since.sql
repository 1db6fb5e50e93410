-- Asked once the intent is committed and before the first byte: whose data changed up to now. $1 users. Rows: users, more than once where touched so.
select user_id from nudged.touched where user_id = any ($1) and not arrival
