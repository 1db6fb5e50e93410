/* The transactions. Each is one step: PostgreSQL's locks let nothing come between. */

#define INTENT_FENCE(m) (NO_FK_FENCE || HAS(member, m))
#define REST_FENCE(m) (NO_MEMBER_LOCK_ON_REST || HAS(member, m))
#define OUTCOME_FENCE(m) (NO_MEMBER_LOCK_ON_OUTCOMES || HAS(member, m))
#define WITHDRAWAL_FENCE(m) (NO_MEMBER_LOCK_ON_WITHDRAWAL || HAS(member, m))
#define DRAIN_FENCE(m) (NO_MEMBER_LOCK_ON_DRAINS || HAS(member, m))

inline free_ranges(m) {
    for (i : 0 .. RANGES - 1) {
        if :: owner[i] == (m) + 1 -> owner[i] = 0 :: else fi
    }
}

inline make_orphans(m) {
    for (i : 0 .. INTENTS - 1) {
        if :: row[i] == OPEN && row_member[i] == (m) + 1 -> row_member[i] = 0 :: else fi
    }
}

/* ON DELETE SET NULL does the rest in the same step. */
inline delete_member(m) {
    member = member & ~BIT(m);
    free_ranges(m);
    make_orphans(m)
}

inline find_turns(u) {
    mask = 0;
    for (j : 0 .. DAEMONS - 1) {
        mask = mask | BIT(hand_turn[AT(j, u)]) | BIT(found_turn[AT(j, u)]) | BIT(orphan_turn[AT(j, u)])
    };
    for (j : 0 .. INTENTS - 1) { mask = mask | BIT(row_turn[j * USERS + (u)]) };
    mask = mask | BIT((late_turn >> (5 * (u))) & 31)
}

/* A turn that no daemon, intent or statement holds. */
inline raise_turn(u) {
    find_turns(u);
    turn[u] = 1;
    do :: (mask >> turn[u]) & 1 -> turn[u]++ :: else -> break od
}

/* For fewer states: a turn that nobody holds can be any other one. */
inline rename_turn(u) {
    find_turns(u);
    if :: !((mask >> turn[u]) & 1) -> raise_turn(u) :: else fi
}

/* histories: two bits for each user; turns: five. */
inline insert_intent(r, m, users, histories, turns) {
    row[r] = OPEN;
    row_member[r] = (m) + 1;
    row_users[r] = users;
    for (i : 0 .. USERS - 1) {
        if
        :: HAS(users, i) ->
            row_history[(r) * USERS + i] = ((histories) >> (2 * i)) & 3;
            row_turn[(r) * USERS + i] = ((turns) >> (5 * i)) & 31
        :: else
        fi
    };
    /* Nobody would ever close it. */
    NOTHING_LOST(HAS(member, m))
}

inline delete_intent(r) {
    row[r] = NO_ROW;
    row_member[r] = 0;
    row_users[r] = 0;
    for (i : 0 .. USERS - 1) {
        row_history[(r) * USERS + i] = 0;
        row_turn[(r) * USERS + i] = 0;
        rename_turn(i)
    }
}

/* The last part deletes the intent. If other users of it are open, it is an orphan. */
inline close_part(r, is_whole) {
    if
    :: row[r] == OPEN && is_whole && (HAS_NO_OPEN(r) || NO_COUNT_OF_OPEN) -> delete_intent(r)
    :: row[r] == OPEN && is_whole && !HAS_NO_OPEN(r) && !NO_COUNT_OF_OPEN -> row_member[r] = 0
    :: else
    fi
}

/* Another turn than the claim read: this settlement took effect already, and its answer was lost. */
inline settle_outcome(u, r, known, known_turn, known_version, is_whole) {
    if
    :: turn[u] == known_turn || NO_TURN_ON_OUTCOMES ->
        bits = NEXT(known);
        ONE_OUTCOME(!(unknown[u] & bits) && (!(accepted[u] & bits) || NO_TURN_ON_OUTCOMES));
        accepted[u] = accepted[u] | bits;
        history[u] = known | bits;
        if :: !NO_TURN_ON_OUTCOMES -> raise_turn(u) :: else fi;
        if :: CHANGES && (version[u] == known_version || NO_VERSION_AT_SETTLEMENT) -> due[u] = ASLEEP :: else fi
    :: else
    fi;
    close_part(r, is_whole)
}

/* Where the app changes data, a user who rests is held until a change. Else they are due again at once. */
inline settle_rest(u, known, known_turn, known_version, known_data) {
    if
    :: turn[u] == known_turn || NO_TURN_ON_RESTS ->
        history[u] = known;
        if :: !NO_TURN_ON_RESTS -> raise_turn(u) :: else fi;
        if :: rests[u] < RESTS -> rests[u]++ :: else fi;
        if
        :: CHANGES && (version[u] == known_version || NO_VERSION_AT_SETTLEMENT) ->
            due[u] = HELD;
            NOTHING_LOST(data[u] == known_data || touched[u])
        :: else
        fi
    :: else
    fi
}

/* A push that was not written. The user stays due. */
inline settle_unsent(u, known, known_turn) {
    if
    :: turn[u] == known_turn ->
        history[u] = known;
        raise_turn(u)
    :: else
    fi
}

/* One user of an orphan: its content is settled like any other change. */
inline record_unknown(r, u) {
    bits = NEXT(row_history[(r) * USERS + (u)]);
    ONE_OUTCOME(!((accepted[u] | unknown[u]) & bits));
    unknown[u] = unknown[u] | bits;
    if :: UNKNOWN_NOT_SENT -> bits = 0 :: else fi;
    history[u] = row_history[(r) * USERS + (u)] | bits;
    if :: !RECOVERY_LEAVES_THE_TURN -> raise_turn(u) :: else fi
}

/* Takes touches and makes their user due. */
inline take_touches(u, touches) {
    bits = touched[u] & (DRAIN_TAKES_ALL -> BY_THE_APP | BY_A_COMMAND : (touches));
    if
    :: bits ->
        touched[u] = touched[u] & ~bits;
        version[u]++;
        due[u] = DUE
    :: else
    fi
}
