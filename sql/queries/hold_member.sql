-- Locks this daemon's membership until the end of the transaction, so that nobody declares it dead meanwhile. $1
-- member. Refused (ND020) if it has ended.
select nudged.hold_member($1)
