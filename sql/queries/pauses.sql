-- What is paused, and what was resumed while not everyone who was held is due yet. Rows: kind, since, held_since, by_whom, words, resumed_at.
select kind, since, held_since, by_whom, words, resumed_at from nudged.paused order by kind
