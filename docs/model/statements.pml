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

/* histories: two bits for each user. */
inline insert_intent(r, m, users, histories) {
    row[r] = OPEN;
    row_member[r] = (m) + 1;
    row_users[r] = users;
    for (i : 0 .. USERS - 1) {
        if :: HAS(users, i) -> row_slot[(r) * USERS + i] = NEXT(((histories) >> (2 * i)) & 3) :: else fi
    };
    /* Nobody would ever close it. */
    NOTHING_LOST(HAS(member, m))
}

inline delete_intent(r) {
    row[r] = NO_ROW;
    row_member[r] = 0;
    row_users[r] = 0;
    row_settled[r] = 0;
    for (i : 0 .. USERS - 1) { row_slot[(r) * USERS + i] = 0 }
}

inline close_part(r, u, is_whole) {
    if
    :: row[r] == OPEN && HAS(row_users[r], u) ->
        if
        :: is_whole -> delete_intent(r)
        :: !(is_whole) && !NO_SETTLED_LIST -> row_settled[r] = row_settled[r] | BIT(u)
        :: else
        fi
    :: else
    fi
}

/* Another stamp than the claim read: this settlement took effect already, and its answer was lost. */
inline settle_outcome(u, r, known, known_stamp, known_version, is_whole) {
    if
    :: stamp[u] == known_stamp || NO_STAMP_ON_OUTCOMES ->
        bits = NEXT(known);
        ONE_OUTCOME(!(unknown[u] & bits) && (!(accepted[u] & bits) || NO_STAMP_ON_OUTCOMES));
        accepted[u] = accepted[u] | bits;
        history[u] = known | bits;
        if :: !NO_STAMP_ON_OUTCOMES -> stamp[u]++ :: else fi;
        if :: CHANGES && (version[u] == known_version || NO_VERSION_AT_SETTLEMENT) -> due[u] = ASLEEP :: else fi
    :: else
    fi;
    close_part(r, u, is_whole)
}

/* Where the app changes data, a user who rests is held until a change. Else they are due again at once. */
inline settle_rest(u, known, known_stamp, known_version, known_data) {
    if
    :: stamp[u] == known_stamp || NO_STAMP_ON_RESTS ->
        history[u] = known;
        if :: !NO_STAMP_ON_RESTS -> stamp[u]++ :: else fi;
        if
        :: CHANGES && (version[u] == known_version || NO_VERSION_AT_SETTLEMENT) ->
            due[u] = HELD;
            NOTHING_LOST(data[u] == known_data || touched[u])
        :: else
        fi
    :: else
    fi
}

/* One user of an orphan. */
inline record_unknown(r, u) {
    bits = row_slot[(r) * USERS + (u)];
    ONE_OUTCOME(!((accepted[u] | unknown[u]) & bits));
    unknown[u] = unknown[u] | bits;
    if :: !UNKNOWN_NOT_SENT -> history[u] = history[u] | bits :: else fi;
    if :: STAMP_AT_INTENT -> stamp[u]++ :: else fi;
    row_settled[r] = row_settled[r] | BIT(u)
}
