/*
 * The protocol of ownership: who may work on which users, and why a push is written at most once.
 * README.md says what is modelled and what is left out; properties.pml and guards.pml what each property and guard is for.
 * This file holds the sizes, the state and the processes. scripts/model runs it.
 */

/* ---- Sizes, by -D. ---- */

#ifndef DAEMONS
#define DAEMONS 2
#endif
#ifndef LIVES
#define LIVES 2         /* memberships of each daemon, one after the other */
#endif
#ifndef RANGES
#define RANGES 1        /* 1 or 2; user u lies in range u % RANGES */
#endif
#ifndef USERS
#define USERS 1         /* 1 or 2 */
#endif
#ifndef SLOTS
#define SLOTS 1         /* 1 or 2 for each user, one after the other */
#endif
#ifndef RESTS
#define RESTS 1         /* decisions for each user that send nothing */
#endif
#define ROWS (USERS + 1)    /* intents of one daemon at a time: one for each user, and one that was withdrawn */

/* ---- Parts, by -D. ---- */

#ifndef LATE
#define LATE 0          /* a statement whose answer was lost may take effect later: a commit, a settlement, a join */
#endif
#ifndef CHANGES
#define CHANGES 0       /* the app changes each user's data, once; 2: so does a command or a quarantine */
#endif
#ifndef LIVENESS
#define LIVENESS 0      /* failures end, and each slot must end in the record */
#endif

#define BIT(x) (1 << (x))
#define HAS(set, x) (((set) >> (x)) & 1)
#define ALL_USERS (BIT(USERS) - 1)
#define ALL_SLOTS (BIT(SLOTS) - 1)
#define NEXT(slots) (~(slots) & ((slots) + 1))      /* the first slot that is not among them, as a bit */

/* ---- The database. ---- */

/* nudged.member: the rows that exist, a bit each. A member is a number; in the columns of others it is raised by one, and 0 is null. */
byte member;
/* nudged.range. */
byte owner[RANGES];

/* nudged.person: the slots that count as sent (the policy sees nothing else), and the turn, which each settlement raises. Turns are only compared, so
   a raised one is any that nobody holds. 0: none. */
byte history[USERS];
byte turn[USERS] = 1;
#define ASLEEP 0        /* until a time */
#define DUE 1
#define HELD 2          /* until a change */
byte due[USERS] = DUE;
#define IS_DUE(u) (due[u] == DUE && history[u] != ALL_SLOTS)

/* nudged.delivery: a bit for each slot. */
byte accepted[USERS];
byte unknown[USERS];

/* The app's tables and the quarantine, nudged.touched, and nudged.person's version. In data and touches: a bit for each change. */
#define BY_THE_APP 1
#define BY_A_COMMAND 2
byte data[USERS];
byte touched[USERS];
byte version[USERS];

/* nudged.intent. Each daemon has ROWS of them. One is used again when no statement on its way can name it. */
#define INTENTS (DAEMONS * ROWS)
#define NO_ROW 0
#define OPEN 1
#define PLACE 2         /* an empty row: a commit that comes later finds its place taken */
byte row[INTENTS];
byte row_member[INTENTS];       /* 0: an orphan */
byte row_users[INTENTS];        /* a bit for each user */
byte row_turn[INTENTS * USERS];
byte row_history[INTENTS * USERS];      /* before the push */

/* A statement on a connection that was given up: it takes effect later, or never. There is one at a time. */
#define NOTHING 0
#define LATE_COMMIT 1
#define LATE_OUTCOME 2
#define LATE_REST 3
#define LATE_JOIN 4
#define LATE_DRAIN 5
byte late;
byte late_member;
byte late_row;
byte late_users;
byte late_history;      /* two bits for each user */
int late_turn;          /* five bits for each user */
byte late_version;
byte late_data;
byte late_touches;
bit late_whole;
bit late_checked;       /* for CHECK_WITHOUT_LOCK */

/* ---- Apple. ---- */

byte written[USERS];    /* a bit for each slot */

/* ---- What a daemon knows. ---- */

byte life[DAEMONS];     /* its memberships so far */
byte joined;            /* the daemons that take themselves for members */
byte in_lease;          /* the daemons whose own clock says that their lease lasts */
byte owned[DAEMONS];    /* its ranges */
#define MEMBER(d) ((d) * LIVES + life[d] - 1)
#define IS_MEMBER(d) HAS(member, MEMBER(d))
byte renewing;          /* for LEASE_FROM_THE_ANSWER: a renewal is not answered yet */
byte robbed;            /* for ONE_ROW_PER_DAEMON: a late join took the daemon's row */
byte doomed[DAEMONS];   /* for DEATH_WITHOUT_LOCK: the member that was seen past its lease */

/* Its claim. */
#define IDLE 0
#define FIRST_READ 1
#define BOTH_READ 2
#define DATA_READ 3
byte claim[DAEMONS];
byte claim_ranges[DAEMONS];
byte claim_skipped[DAEMONS];
byte claim_found[DAEMONS];
byte claim_orphans[DAEMONS];            /* their users, by the turns that follow */
byte orphan_turn[DAEMONS * USERS];
byte found_history[DAEMONS * USERS];
byte found_turn[DAEMONS * USERS];
byte found_version[DAEMONS * USERS];
byte found_data[DAEMONS * USERS];

/* Its drain of one user: the touches that it has read, and then that it has marked the user. */
byte drain[DAEMONS * USERS];
#define MARKED 4
#define IS_DRAINING(d) (drain[AT(d, 0)] || drain[AT(d, USERS - 1)])

/* Each user that it has in hand. From SENT on the user is in a slice, and the slice has an intent. */
#define FREE 0
#define CLAIMED 1
#define RESTING 2       /* there is nothing to send; to be settled */
#define SENT 3          /* the intent's commit is sent */
#define COMMITTED 4     /* it took effect */
#define LOOKED 5        /* and the first look is done */
#define UNANSWERED 6    /* nobody knows whether it took effect */
#define READY 7         /* to be written */
#define CLOCK_SEEN 8    /* for NO_MARGIN */
#define WRITTEN 9       /* to be settled as accepted */
#define AT(d, u) ((d) * USERS + (u))
byte hand[DAEMONS * USERS];
byte hand_row[DAEMONS * USERS];
byte hand_history[DAEMONS * USERS];
byte hand_turn[DAEMONS * USERS];
byte hand_version[DAEMONS * USERS];
byte hand_data[DAEMONS * USERS];
bit hand_mark[DAEMONS * USERS];         /* a drain of this daemon found a change */
bit hand_changed[DAEMONS * USERS];      /* the looks after the commit found a change */
bit hand_proof[DAEMONS * USERS];        /* for property 2: the commit took effect */
bit hand_stale[DAEMONS * USERS];        /* for property 7: the data had changed by then */

byte rests[USERS];      /* decisions that sent nothing, so far */
bit calm;               /* for LIVENESS: no failures any more */

/* For use within one step. */
byte i, j, n, bits;
int mask;
inline done() { i = 0; j = 0; n = 0; bits = 0; mask = 0 }

#include "properties.pml"
#include "guards.pml"
#include "statements.pml"
#include "daemon.pml"
#include "others.pml"

init {
    atomic {
        byte x = 0;
        byte y = 0;
        for (x : 0 .. DAEMONS - 1) {
            run Keeper(x);
            run Claimer(x);
            for (y : 0 .. USERS - 1) {
                run Worker(x, y);
                if :: CHANGES -> run Drainer(x, y) :: else fi
            }
            for (y : 0 .. LIVES - 1) { run Undertaker(x * LIVES + y) }
            for (y : 0 .. ROWS - 1) { run Recoverer(x * ROWS + y) }
        }
        for (y : 0 .. USERS - 1) {
            if :: CHANGES -> run App(y) :: else fi;
            if :: CHANGES == 2 -> run Operator(y) :: else fi
        }
        if :: LATE -> run Server() :: else fi;
        if :: LIVENESS -> run Calm() :: else fi;
        x = 0;
        y = 0
    }
}
