-- Holds our membership until the transaction's end, so that nobody declares it dead meanwhile. $1 member. Refused (ND020) where it has ended.
select nudged.hold_member($1)
