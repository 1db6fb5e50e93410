-- Notes that a fan-out's page is done and more follow. $1 author, $2 occurrence, $3 the last member who has a row.
update nudged.occurrence set fan_out_after = $3 where user_id = $1 and id = $2
