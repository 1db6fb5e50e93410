/* What happens around a daemon: deaths, recovery, statements that come late, the app, time. */

/* A member may be declared dead when its lease is over by the database's clock. Its daemon's own clock says so no later. */
#define IS_ALIVE(m) (HAS(joined, (m) / LIVES) && MEMBER((m) / LIVES) == (m) && HAS(in_lease, (m) / LIVES) && !HAS(robbed, (m) / LIVES))

proctype Undertaker(byte m) {
end:
    do
    :: d_step { !DEATH_WITHOUT_LOCK && !DEATH_IN_TWO_STEPS && !NO_DEATHS && HAS(member, m) && !IS_ALIVE(m) -> delete_member(m); done() }

    :: d_step { DEATH_WITHOUT_LOCK && HAS(member, m) && !IS_ALIVE(m) && doomed[m / LIVES] == 0 -> doomed[m / LIVES] = m + 1 }
    :: d_step { doomed[m / LIVES] == m + 1 -> doomed[m / LIVES] = 0; delete_member(m); done() }

    :: d_step { DEATH_IN_TWO_STEPS && HAS(member, m) && !IS_ALIVE(m) -> member = member & ~BIT(m); free_ranges(m); done() }
    :: d_step { DEATH_IN_TWO_STEPS && !HAS(member, m) -> make_orphans(m); done() }
    od
}

/* Anybody records orphans, user by user: each who still has the intent's turn. */
#define IS_LEFT(r, u) (HAS(row_users[r], u) && (IS_OPEN(r, u) || NO_TURN_ON_RECOVERY))

proctype Recoverer(byte r) {
end:
    do
    :: d_step { !NO_RECOVERY && row[r] == OPEN && row_member[r] == 0 ->
        if :: IS_LEFT(r, 0) -> record_unknown(r, 0) :: else fi;
        if :: HAS_NO_OPEN(r) -> delete_intent(r) :: else fi;
        done()
    }
    :: d_step { !NO_RECOVERY && USERS == 2 && row[r] == OPEN && row_member[r] == 0 && IS_LEFT(r, USERS - 1) ->
        record_unknown(r, USERS - 1);
        if :: HAS_NO_OPEN(r) -> delete_intent(r) :: else fi;
        done()
    }
    od
}

/* ---- Statements that come late. ---- */

#define LATE_DAEMON (late_member / LIVES)
#define LATE_USER (late_users - 1)
#define LATE_TURN(u) ((late_turn >> (5 * (u))) & 31)
#define IS_CURRENT_LATE(u) (!TURN_AT_INTENT || !HAS(late_users, u) || turn[u] == LATE_TURN(u))
#define LATE_FENCE (CHECK_WITHOUT_LOCK -> late_checked : HAS(member, late_member))

inline forget_late() {
    if :: late == LATE_COMMIT && row[late_row] == PLACE -> row[late_row] = NO_ROW :: else fi;
    late = NOTHING;
    late_member = 0;
    late_row = 0;
    late_users = 0;
    late_history = 0;
    late_turn = 0;
    late_version = 0;
    late_data = 0;
    late_touches = 0;
    late_whole = 0;
    late_checked = 0
}

proctype Server() {
end:
    do
    :: d_step { late == LATE_COMMIT && row[late_row] == NO_ROW && INTENT_FENCE(late_member) && IS_CURRENT_LATE(0) && IS_CURRENT_LATE(USERS - 1) ->
        insert_intent(late_row, late_member, late_users, late_history, late_turn);
        if
        :: HAS(joined, LATE_DAEMON) && MEMBER(LATE_DAEMON) == late_member ->
            prove_slice(LATE_DAEMON, late_row);
            NOTHING_LOST(IN_SLICE(LATE_DAEMON, 0, late_row) || IN_SLICE(LATE_DAEMON, USERS - 1, late_row))
        :: else
        fi;
        forget_late();
        done()
    }
    :: d_step { CHECK_WITHOUT_LOCK && (late == LATE_OUTCOME || late == LATE_REST) && !late_checked && HAS(member, late_member) -> late_checked = 1 }
    :: d_step { late == LATE_OUTCOME && (NO_MEMBER_LOCK_ON_OUTCOMES || LATE_FENCE) ->
        settle_outcome(LATE_USER, late_row, late_history, LATE_TURN(LATE_USER), late_version, late_whole);
        forget_late();
        done()
    }
    :: d_step { late == LATE_REST && (NO_MEMBER_LOCK_ON_REST || LATE_FENCE) ->
        settle_rest(LATE_USER, late_history, LATE_TURN(LATE_USER), late_version, late_data);
        forget_late();
        done()
    }
    :: d_step { late == LATE_DRAIN && DRAIN_FENCE(late_member) ->
        take_touches(LATE_USER, late_touches);
        forget_late();
        done()
    }
    :: d_step { late == LATE_JOIN ->
        member = member | BIT(late_member);
        if
        :: ONE_ROW_PER_DAEMON && HAS(joined, LATE_DAEMON) && MEMBER(LATE_DAEMON) != late_member -> robbed = robbed | BIT(LATE_DAEMON)
        :: else
        fi;
        count_owners();
        forget_late();
        done()
    }
    /* It never arrives. */
    :: d_step { late != NOTHING -> forget_late() }
    od
}

/* ---- The app and time. ---- */

proctype App(byte u) {
end:
    do
    :: d_step { !(data[u] & BY_THE_APP) -> data[u] = data[u] | BY_THE_APP; touched[u] = touched[u] | BY_THE_APP }
    :: d_step { due[u] == ASLEEP -> due[u] = DUE }
    od
}

/* A command raises the version and makes the user due. Users who are due already may be in a daemon's hands, so they get a touch. */
proctype Operator(byte u) {
    d_step {
        data[u] = data[u] | BY_A_COMMAND;
        if :: due[u] == DUE && !NO_TOUCH_BY_COMMANDS -> touched[u] = touched[u] | BY_A_COMMAND :: else fi;
        version[u]++;
        due[u] = DUE
    }
}

proctype Calm() { calm = 1 }
