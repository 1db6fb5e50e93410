-- Answers a question. $1 user, $2 question, $3 the answer. Rows: the question, if it was open.
update nudged.preview set answer = $3::jsonb where user_id = $1 and id = $2 and answer is null
returning id
