-- Forgets dedupe keys of more than 30 days ago, in bounded steps. One row: how many went.
select nudged.prune_message_keys()
