/* A daemon: it keeps its membership, claims, sends and settles. */

/* ---- Memory. ---- */

#define IN_HAND(d, u) (hand[AT(d, u)] != FREE)
#define ROW(d, u) hand_row[AT(d, u)]
#define IN_SLICE(d, u, r) (hand[AT(d, u)] >= SENT && ROW(d, u) == (r))
#define SHARE_A_SLICE(d) (USERS == 2 && IN_SLICE(d, 0, ROW(d, USERS - 1)) && hand[AT(d, USERS - 1)] >= SENT)
/* The first user of a slice acts for all of it, until they part. */
#define LEADS(d, u) (u == 0 || !SHARE_A_SLICE(d))
#define IS_WHOLE(d) (WHOLE_TOO_EARLY || !SHARE_A_SLICE(d))

/* A place for an intent that no statement on its way can name. */
#define IS_FRESH(d, x) (row[(d) * ROWS + (x)] == NO_ROW \
    && !IN_SLICE(d, 0, (d) * ROWS + (x)) && !IN_SLICE(d, USERS - 1, (d) * ROWS + (x)) \
    && !((late == LATE_COMMIT || late == LATE_OUTCOME) && late_row == (d) * ROWS + (x)))
#define HAS_FRESH_ROW(d) (IS_FRESH(d, 0) || IS_FRESH(d, 1) || IS_FRESH(d, ROWS - 1))
#define FRESH_ROW(d) ((d) * ROWS + (IS_FRESH(d, 0) -> 0 : (IS_FRESH(d, 1) -> 1 : ROWS - 1)))

inline let_go(d, u) {
    hand[AT(d, u)] = FREE;
    hand_row[AT(d, u)] = 0;
    hand_history[AT(d, u)] = 0;
    hand_turn[AT(d, u)] = 0;
    hand_version[AT(d, u)] = 0;
    hand_data[AT(d, u)] = 0;
    hand_mark[AT(d, u)] = 0;
    hand_changed[AT(d, u)] = 0;
    hand_proof[AT(d, u)] = 0;
    hand_stale[AT(d, u)] = 0;
    rename_turn(u)
}

inline move_slice(d, r, from, to) {
    for (i : 0 .. USERS - 1) {
        if :: hand[AT(d, i)] == from && ROW(d, i) == r -> hand[AT(d, i)] = to :: else fi
    }
}

inline let_go_of_slice(d, r) {
    n = r;
    for (i : 0 .. USERS - 1) {
        if :: IN_SLICE(d, i, n) -> let_go(d, i) :: else fi
    }
}

/* A slice as a statement's parameters: n are the users, bits the histories, two bits each; mask the turns, five bits each. */
inline put_slice(d, r) {
    n = 0;
    bits = 0;
    mask = 0;
    for (i : 0 .. USERS - 1) {
        if
        :: IN_SLICE(d, i, r) ->
            n = n | BIT(i);
            bits = bits | (hand_history[AT(d, i)] << (2 * i));
            mask = mask | (hand_turn[AT(d, i)] << (5 * i))
        :: else
        fi
    }
}

/* For properties 2 and 7. */
inline prove_slice(d, r) {
    for (i : 0 .. USERS - 1) {
        if :: IN_SLICE(d, i, r) -> hand_proof[AT(d, i)] = 1; hand_stale[AT(d, i)] = (data[i] != hand_data[AT(d, i)]) :: else fi
    }
}

inline end_claim(d) {
    claim[d] = IDLE;
    claim_ranges[d] = 0;
    claim_skipped[d] = 0;
    claim_found[d] = 0;
    claim_orphans[d] = 0;
    for (i : 0 .. USERS - 1) {
        orphan_turn[AT(d, i)] = 0;
        found_history[AT(d, i)] = 0;
        found_turn[AT(d, i)] = 0;
        found_version[AT(d, i)] = 0;
        found_data[AT(d, i)] = 0
    }
}

inline stop(d) {
    joined = joined & ~BIT(d);
    in_lease = in_lease & ~BIT(d);
    renewing = renewing & ~BIT(d);
    robbed = robbed & ~BIT(d);
    for (i : 0 .. USERS - 1) { drain[AT(d, i)] = 0 };
    end_claim(d)
}

inline drop_all(d) {
    stop(d);
    owned[d] = 0;
    for (i : 0 .. USERS - 1) { let_go(d, i) }
}

inline end_membership(d) {
    stop(d);
    if :: !KEEP_RANGES -> owned[d] = 0 :: else fi;
    for (i : 0 .. USERS - 1) {
        if
        :: KEEP_CLAIMED && hand[AT(d, i)] == CLAIMED
        :: KEEP_WRITES && hand[AT(d, i)] >= READY
        :: else -> let_go(d, i)
        fi
    }
}

/* ---- Membership. ---- */

#define CAN_RENEW(d) (HAS(joined, d) && IS_MEMBER(d) && !HAS(robbed, d))
#define IS_OWN(d, x) (row[(d) * ROWS + (x)] == OPEN && row_member[(d) * ROWS + (x)] == MEMBER(d) + 1)
#define HAS_OPEN_INTENT(d) (IS_OWN(d, 0) || IS_OWN(d, 1) || IS_OWN(d, ROWS - 1))
#define MAY_LEAVE(d) (!IN_HAND(d, 0) && !IN_HAND(d, USERS - 1) && claim[d] == IDLE && (NO_LOOK_AT_INTENTS_ON_LEAVING || !HAS_OPEN_INTENT(d)))
/* For property 8 the last daemon must not fail in its last life, and all failures end. */
#define MAY_FAIL(d) (!LIVENESS || (!calm && (d < DAEMONS - 1 || life[d] < LIVES)))
#define MAY_LOSE_ANSWERS (!LIVENESS || !calm)

inline join(d) {
    member = member | BIT(MEMBER(d));
    joined = joined | BIT(d);
    in_lease = in_lease | BIT(d);
    count_owners()
}

inline take(d, r) {
    owner[r] = MEMBER(d) + 1;
    owned[d] = owned[d] | BIT(r);
    count_owners()
}

proctype Keeper(byte d) {
end:
    do
    :: d_step { !HAS(joined, d) && life[d] < LIVES -> life[d]++; join(d); done() }
    /* No answer comes to a join, and it joins anew. */
    :: d_step { LATE && MAY_LOSE_ANSWERS && !HAS(joined, d) && life[d] < LIVES - 1 && late == NOTHING ->
        life[d]++;
        late = LATE_JOIN;
        late_member = MEMBER(d);
        done()
    }
    :: d_step { JOIN_UNDER_THE_SAME_ID && !HAS(joined, d) && late == LATE_JOIN && late_member == MEMBER(d) -> join(d); done() }
    /* It renews. The lease counts from before the statement was sent: an answer after its end gives nothing. */
    :: d_step { !LEASE_FROM_THE_ANSWER && CAN_RENEW(d) && !HAS(in_lease, d) -> in_lease = in_lease | BIT(d) }
    :: d_step { LEASE_FROM_THE_ANSWER && CAN_RENEW(d) && !HAS(renewing, d) -> renewing = renewing | BIT(d) }
    :: d_step { HAS(renewing, d) -> renewing = renewing & ~BIT(d); in_lease = in_lease | BIT(d) }
    :: d_step { CAN_RENEW(d) && owner[0] == 0 -> take(d, 0); done() }
    :: d_step { RANGES == 2 && CAN_RENEW(d) && owner[RANGES - 1] == 0 -> take(d, RANGES - 1); done() }
    /* A renewal finds no row. */
    :: d_step { HAS(joined, d) && !CAN_RENEW(d) -> end_membership(d); done() }
    /* Time goes by: nothing was renewed for as long as the lease lasts. */
    :: d_step { HAS(in_lease, d) && MAY_FAIL(d) -> in_lease = in_lease & ~BIT(d) }
    /* It is killed. */
    :: d_step { HAS(joined, d) && MAY_FAIL(d) -> drop_all(d); done() }
    /* It leaves. */
    :: d_step { CAN_RENEW(d) && MAY_LEAVE(d) && MAY_FAIL(d) -> delete_member(MEMBER(d)); drop_all(d); done() }
    od
}

/* ---- Claiming. ---- */

inline skip_hand(d) {
    for (i : 0 .. USERS - 1) {
        if :: IN_HAND(d, i) -> claim_skipped[d] = claim_skipped[d] | BIT(i) :: else fi
    }
}

inline read_orphans(d) {
    for (i : 0 .. INTENTS - 1) {
        for (j : 0 .. USERS - 1) {
            if
            :: !NO_LOOK_AT_ORPHANS && row[i] == OPEN && row_member[i] == 0 && IS_OPEN(i, j) ->
                claim_orphans[d] = claim_orphans[d] | BIT(j);
                orphan_turn[AT(d, j)] = row_turn[i * USERS + j]
            :: else
            fi
        }
    }
}

inline read_due(d) {
    for (i : 0 .. USERS - 1) {
        if
        :: HAS((RANGES_READ_LATE -> owned[d] : claim_ranges[d]), i % RANGES) && !HAS(claim_skipped[d], i) && IS_DUE(i) ->
            claim_found[d] = claim_found[d] | BIT(i);
            found_history[AT(d, i)] = history[i];
            found_turn[AT(d, i)] = turn[i];
            found_version[AT(d, i)] = version[i]
        :: else
        fi
    }
}

inline read_data(d) {
    for (i : 0 .. USERS - 1) { found_data[AT(d, i)] = data[i] }
}

/* Users of orphans are left out, by the turns that the claim read. */
inline leave_out_orphans(d) {
    for (i : 0 .. USERS - 1) {
        if
        :: HAS(claim_orphans[d], i) && orphan_turn[AT(d, i)] == found_turn[AT(d, i)] -> claim_found[d] = claim_found[d] & ~BIT(i)
        :: else
        fi
    }
}

inline take_in_hand(d) {
    for (i : 0 .. USERS - 1) {
        if
        :: HAS(claim_found[d], i) && !HAS(claim_skipped[d], i) ->
            hand[AT(d, i)] = CLAIMED;
            hand_history[AT(d, i)] = found_history[AT(d, i)];
            hand_turn[AT(d, i)] = found_turn[AT(d, i)];
            hand_version[AT(d, i)] = found_version[AT(d, i)];
            hand_data[AT(d, i)] = found_data[AT(d, i)]
        :: else
        fi
    }
}

proctype Claimer(byte d) {
end:
    do
    :: d_step { HAS(joined, d) && owned[d] != 0 && claim[d] == IDLE && (DRAIN_DURING_CLAIM || !IS_DRAINING(d)) ->
        claim[d] = FIRST_READ;
        claim_ranges[d] = owned[d];
        if :: !NO_INHAND_SNAPSHOT -> skip_hand(d) :: else fi;
        if :: ORPHANS_READ_LAST -> read_due(d) :: else -> read_orphans(d) fi;
        if :: CHANGES && DATA_READ_FIRST -> read_data(d) :: else fi;
        /* It would find nobody. */
        if :: claim_skipped[d] == ALL_USERS -> end_claim(d) :: else fi;
        done()
    }
    :: d_step { claim[d] == FIRST_READ ->
        claim[d] = BOTH_READ;
        if :: ORPHANS_READ_LAST -> read_orphans(d) :: else -> read_due(d) fi;
        leave_out_orphans(d);
        if :: (claim_found[d] & ~claim_skipped[d]) == 0 -> end_claim(d) :: else fi;
        done()
    }
    :: d_step { CHANGES && claim[d] == BOTH_READ ->
        claim[d] = DATA_READ;
        if :: !DATA_READ_FIRST -> read_data(d) :: else fi;
        done()
    }
    :: d_step { claim[d] == (CHANGES -> DATA_READ : BOTH_READ) ->
        if :: NO_INHAND_SNAPSHOT -> skip_hand(d) :: else fi;
        take_in_hand(d);
        end_claim(d);
        done()
    }
    od
}

/* ---- Sending and settling. ---- */

#define IS_CURRENT(d, u) (!TURN_AT_INTENT || turn[u] == hand_turn[AT(d, u)])
#define IS_CURRENT_SLICE(d, u) (IS_CURRENT(d, u) && (!SHARE_A_SLICE(d) || IS_CURRENT(d, USERS - 1)))
#define MAY_WRITE(d, u) (!hand_changed[AT(d, u)] && (NO_CLOCK_CHECK || HAS(in_lease, d)))

inline look_for_touches(d, r) {
    for (i : 0 .. USERS - 1) {
        if :: IN_SLICE(d, i, r) && touched[i] && !NO_LOOK -> hand_changed[AT(d, i)] = 1 :: else fi
    }
}

inline look_at_marks(d, r) {
    for (i : 0 .. USERS - 1) {
        if :: IN_SLICE(d, i, r) && hand_mark[AT(d, i)] && !NO_LOOK -> hand_changed[AT(d, i)] = 1 :: else fi
    }
}

inline write(d, u) {
    bits = NEXT(hand_history[AT(d, u)]);
    ONE_PUSH(!(written[u] & bits));
    INTENT_FIRST(hand_proof[AT(d, u)]);
    IN_TIME(IS_OPEN_FOR(MEMBER(d), ROW(d, u), u));
    NOTHING_STALE(!hand_stale[AT(d, u)]);
    written[u] = written[u] | bits;
    hand[AT(d, u)] = WRITTEN
}

proctype Worker(byte d, u) {
end:
    do
    /* There is something to send: an intent is sent for this user, or for both. */
    :: d_step { hand[AT(d, u)] == CLAIMED && HAS_FRESH_ROW(d) -> ROW(d, u) = FRESH_ROW(d); hand[AT(d, u)] = SENT }
    :: d_step { USERS == 2 && u == 0 && hand[AT(d, 0)] == CLAIMED && hand[AT(d, USERS - 1)] == CLAIMED && HAS_FRESH_ROW(d) ->
        ROW(d, 0) = FRESH_ROW(d);
        ROW(d, USERS - 1) = ROW(d, 0);
        hand[AT(d, 0)] = SENT;
        hand[AT(d, USERS - 1)] = SENT
    }
    /* There is nothing to send. */
    :: d_step { hand[AT(d, u)] == CLAIMED && rests[u] < RESTS -> hand[AT(d, u)] = RESTING }
    :: d_step { hand[AT(d, u)] == RESTING && REST_FENCE(MEMBER(d)) ->
        settle_rest(u, hand_history[AT(d, u)], hand_turn[AT(d, u)], hand_version[AT(d, u)], hand_data[AT(d, u)]);
        let_go(d, u);
        done()
    }
    /* No answer comes, and it is sent again. */
    :: d_step { LATE && MAY_LOSE_ANSWERS && hand[AT(d, u)] == RESTING && late == NOTHING ->
        late = LATE_REST;
        late_member = MEMBER(d);
        late_users = BIT(u);
        late_history = hand_history[AT(d, u)];
        late_turn = hand_turn[AT(d, u)] << (5 * (u));
        late_version = hand_version[AT(d, u)];
        late_data = hand_data[AT(d, u)]
    }

    /* With TURN_AT_INTENT the commit leaves out a user whom somebody settled since the claim. */
    :: d_step { hand[AT(d, u)] == SENT && !IS_CURRENT(d, u) -> let_go(d, u); done() }
    /* The intent's commit takes effect. After it, in the same flight, the look for touches; then the answer, and the look at marks. */
    :: d_step { hand[AT(d, u)] == SENT && LEADS(d, u) && INTENT_FENCE(MEMBER(d)) && IS_CURRENT_SLICE(d, u) ->
        put_slice(d, ROW(d, u));
        insert_intent(ROW(d, u), MEMBER(d), n, bits, mask);
        prove_slice(d, ROW(d, u));
        move_slice(d, ROW(d, u), SENT, COMMITTED);
        done()
    }
    :: d_step { !CHANGES && hand[AT(d, u)] == COMMITTED && LEADS(d, u) -> move_slice(d, ROW(d, u), COMMITTED, READY); done() }
    :: d_step { CHANGES && hand[AT(d, u)] == COMMITTED && LEADS(d, u) ->
        if :: MARKS_LOOKED_AT_FIRST -> look_at_marks(d, ROW(d, u)) :: else -> look_for_touches(d, ROW(d, u)) fi;
        move_slice(d, ROW(d, u), COMMITTED, LOOKED);
        done()
    }
    :: d_step { hand[AT(d, u)] == LOOKED && LEADS(d, u) ->
        if :: MARKS_LOOKED_AT_FIRST -> look_for_touches(d, ROW(d, u)) :: else -> look_at_marks(d, ROW(d, u)) fi;
        move_slice(d, ROW(d, u), LOOKED, READY);
        done()
    }

    /* No answer comes: it took effect, or never will, or will later. */
    :: d_step { MAY_LOSE_ANSWERS && hand[AT(d, u)] == COMMITTED && LEADS(d, u) -> move_slice(d, ROW(d, u), COMMITTED, UNANSWERED); done() }
    :: d_step { MAY_LOSE_ANSWERS && hand[AT(d, u)] == SENT && LEADS(d, u) -> move_slice(d, ROW(d, u), SENT, UNANSWERED); done() }
    :: d_step { LATE && MAY_LOSE_ANSWERS && hand[AT(d, u)] == SENT && LEADS(d, u) && late == NOTHING ->
        put_slice(d, ROW(d, u));
        late = LATE_COMMIT;
        late_member = MEMBER(d);
        late_row = ROW(d, u);
        late_users = n;
        late_history = bits;
        late_turn = mask;
        move_slice(d, ROW(d, u), SENT, UNANSWERED);
        done()
    }
    /* It is withdrawn. The place is needed only where the commit may still come. */
    :: d_step { hand[AT(d, u)] == UNANSWERED && LEADS(d, u) && WITHDRAWAL_FENCE(MEMBER(d)) ->
        if
        :: row[ROW(d, u)] == OPEN -> delete_intent(ROW(d, u))
        :: row[ROW(d, u)] == NO_ROW && late == LATE_COMMIT && late_row == ROW(d, u) && !NO_WITHDRAW_PLACE -> row[ROW(d, u)] = PLACE
        :: else
        fi;
        settle_unsent(u, hand_history[AT(d, u)], hand_turn[AT(d, u)]);
        if
        :: USERS == 2 && SHARE_A_SLICE(d) -> settle_unsent(USERS - 1, hand_history[AT(d, USERS - 1)], hand_turn[AT(d, USERS - 1)])
        :: else
        fi;
        let_go_of_slice(d, ROW(d, u));
        done()
    }
    :: d_step { LOST_ANSWER_TAKEN_FOR_COMMIT && hand[AT(d, u)] == UNANSWERED && LEADS(d, u) ->
        move_slice(d, ROW(d, u), UNANSWERED, READY);
        done()
    }

    /* It is written, if its time is not over. */
    :: d_step { hand[AT(d, u)] == READY && MAY_WRITE(d, u) && !NO_MARGIN -> write(d, u); done() }
    :: d_step { hand[AT(d, u)] == READY && MAY_WRITE(d, u) && NO_MARGIN -> hand[AT(d, u)] = CLOCK_SEEN }
    :: d_step { hand[AT(d, u)] == CLOCK_SEEN -> write(d, u); done() }
    /* Else it is settled as not sent. */
    :: d_step { hand[AT(d, u)] == READY && (hand_changed[AT(d, u)] || !HAS(in_lease, d)) && OUTCOME_FENCE(MEMBER(d)) ->
        settle_unsent(u, hand_history[AT(d, u)], hand_turn[AT(d, u)]);
        close_part(ROW(d, u), IS_WHOLE(d));
        let_go(d, u);
        done()
    }

    /* It is settled. */
    :: d_step { hand[AT(d, u)] == WRITTEN && OUTCOME_FENCE(MEMBER(d)) ->
        settle_outcome(u, ROW(d, u), hand_history[AT(d, u)], hand_turn[AT(d, u)], hand_version[AT(d, u)], IS_WHOLE(d));
        let_go(d, u);
        done()
    }
    /* It is settled, no answer comes, and it is sent again. */
    :: d_step { MAY_LOSE_ANSWERS && hand[AT(d, u)] == WRITTEN && OUTCOME_FENCE(MEMBER(d)) && turn[u] == hand_turn[AT(d, u)] ->
        settle_outcome(u, ROW(d, u), hand_history[AT(d, u)], hand_turn[AT(d, u)], hand_version[AT(d, u)], IS_WHOLE(d));
        done()
    }
    /* The same, and it takes effect later. */
    :: d_step { LATE && MAY_LOSE_ANSWERS && hand[AT(d, u)] == WRITTEN && late == NOTHING ->
        late = LATE_OUTCOME;
        late_member = MEMBER(d);
        late_row = ROW(d, u);
        late_users = BIT(u);
        late_history = hand_history[AT(d, u)];
        late_turn = hand_turn[AT(d, u)] << (5 * (u));
        late_version = hand_version[AT(d, u)];
        late_whole = IS_WHOLE(d)
    }
    /* The settlement is refused, and the user set aside. */
    :: d_step { RELEASED_UNSETTLED && hand[AT(d, u)] == WRITTEN -> let_go(d, u) }
    od
}

/* Makes a user due whose data changed: reads the touches, marks the user if in hand, then takes these touches. */
#define MAY_DRAIN(d, u) (HAS(owned[d], u % RANGES) && touched[u] && (DRAIN_DURING_CLAIM || claim[d] == IDLE))

inline mark(d, u) {
    if :: IN_HAND(d, u) && !NO_MARKS -> hand_mark[AT(d, u)] = 1 :: else fi
}

proctype Drainer(byte d, u) {
end:
    do
    :: d_step { drain[AT(d, u)] == 0 && MAY_DRAIN(d, u) -> drain[AT(d, u)] = touched[u] }
    :: d_step { drain[AT(d, u)] && drain[AT(d, u)] < MARKED ->
        drain[AT(d, u)] = drain[AT(d, u)] | MARKED;
        if :: !MARKS_AFTER_THE_DRAIN -> mark(d, u) :: else fi
    }
    :: d_step { drain[AT(d, u)] > MARKED && DRAIN_FENCE(MEMBER(d)) ->
        take_touches(u, drain[AT(d, u)] & ~MARKED);
        drain[AT(d, u)] = (MARKS_AFTER_THE_DRAIN -> MARKED : 0);
        done()
    }
    :: d_step { drain[AT(d, u)] == MARKED -> mark(d, u); drain[AT(d, u)] = 0 }
    /* No answer comes, and it takes effect later or never. */
    :: d_step { MAY_LOSE_ANSWERS && drain[AT(d, u)] > MARKED -> drain[AT(d, u)] = 0 }
    :: d_step { LATE && MAY_LOSE_ANSWERS && drain[AT(d, u)] > MARKED && late == NOTHING ->
        late = LATE_DRAIN;
        late_member = MEMBER(d);
        late_users = BIT(u);
        late_touches = drain[AT(d, u)] & ~MARKED;
        drain[AT(d, u)] = 0
    }
    od
}
