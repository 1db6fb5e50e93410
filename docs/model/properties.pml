/* The properties. -DPROPERTY=n asserts property n alone; -DEXCEPT=n asserts all others. */

#ifndef PROPERTY
#define PROPERTY 0
#endif
#ifndef EXCEPT
#define EXCEPT 0
#endif
#define CHECK(number, condition) assert((PROPERTY != 0 && PROPERTY != number) || EXCEPT == number || (condition))

/* 1. Never are two pushes written for one slot of one user. */
#define ONE_PUSH(condition) CHECK(1, condition)
/* 2. Never is a push written without an intent that was committed. */
#define INTENT_FIRST(condition) CHECK(2, condition)
/* 3. Never is a push written once its intent was taken from its daemon. */
#define IN_TIME(condition) CHECK(3, condition)
/* 4. Never does the record hold two outcomes of one slot. */
#define ONE_OUTCOME(condition) CHECK(4, condition)
/* 5. Never do two daemons own one range while both can commit. */
#define ONE_OWNER(condition) CHECK(5, condition)
/* 6. Never is a change or an open intent forgotten for ever. */
#define NOTHING_LOST(condition) CHECK(6, condition)
/* 7. Never is a push written on data that changed before its intent was committed. */
#define NOTHING_STALE(condition) CHECK(7, condition)
/* 8. Each slot ends in the record. */
#define IS_RECORDED(u) ((accepted[u] | unknown[u]) == ALL_SLOTS)
#if LIVENESS
ltl all_recorded { <> (IS_RECORDED(0) && IS_RECORDED(USERS - 1)) }
#endif

/* Property 5. */
inline count_owners() {
    for (i : 0 .. RANGES - 1) {
        n = 0;
        for (j : 0 .. DAEMONS - 1) {
            if :: HAS(joined, j) && HAS(owned[j], i) && IS_MEMBER(j) -> n++ :: else fi
        };
        ONE_OWNER(n <= 1)
    }
}

/* Property 6: a living member's intent is still open for a user. If its daemon has let go of the user, it can never leave, and its death makes an
   unknown of nothing. */
#define IS_OPEN(r, u) (HAS(row_users[r], u) && row_turn[(r) * USERS + (u)] == turn[u])
#define HAS_NO_OPEN(r) (!IS_OPEN(r, 0) && !IS_OPEN(r, USERS - 1))
#define IS_OPEN_FOR(m, r, u) (row[r] == OPEN && row_member[r] == (m) + 1 && IS_OPEN(r, u))
