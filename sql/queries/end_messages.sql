-- Deletes messages that ended, with their texts. Parallel: $1 user, $2 id.
delete from nudged.message m using unnest($1::uuid[], $2::uuid[]) as e (user_id, id)
where m.user_id = e.user_id and m.id = e.id
