/* The guards. -DNAME takes one out; then the property that is named beside it fails. */

/* An intent is fenced by its foreign key: it can't be committed under a membership that has ended. 6; without clocks also 1. */
#ifndef NO_FK_FENCE
#define NO_FK_FENCE 0
#endif
/* A decision that sends nothing is settled under the member lock. 1 */
#ifndef NO_MEMBER_LOCK_ON_REST
#define NO_MEMBER_LOCK_ON_REST 0
#endif
/* So are withdrawals. 1 */
#ifndef NO_MEMBER_LOCK_ON_WITHDRAWAL
#define NO_MEMBER_LOCK_ON_WITHDRAWAL 0
#endif
/* And drains. 7 */
#ifndef NO_MEMBER_LOCK_ON_DRAINS
#define NO_MEMBER_LOCK_ON_DRAINS 0
#endif
/* The member's row is locked until the commit, and not only looked for. 1 */
#ifndef CHECK_WITHOUT_LOCK
#define CHECK_WITHOUT_LOCK 0
#endif
/* A settlement writes a user only if no other settlement did since the claim: it is of one turn. 1 */
#ifndef NO_TURN_ON_RESTS
#define NO_TURN_ON_RESTS 0
#endif
#ifndef NO_TURN_ON_OUTCOMES
#define NO_TURN_ON_OUTCOMES 0
#endif
/* So is recovery. 4 */
#ifndef NO_TURN_ON_RECOVERY
#define NO_TURN_ON_RECOVERY 0
#endif
/* And it raises the turn. 4 */
#ifndef RECOVERY_LEAVES_THE_TURN
#define RECOVERY_LEAVES_THE_TURN 0
#endif
/* A daemon looks at its own clock before it writes. 3 */
#ifndef NO_CLOCK_CHECK
#define NO_CLOCK_CHECK 0
#endif
/* The margin covers the time from that look to the write. 3 */
#ifndef NO_MARGIN
#define NO_MARGIN 0
#endif
/* The lease counts from before the renewal was sent. 3 */
#ifndef LEASE_FROM_THE_ANSWER
#define LEASE_FROM_THE_ANSWER 0
#endif
/* A burial locks the row that holds the lease, and looks again. 3 */
#ifndef DEATH_WITHOUT_LOCK
#define DEATH_WITHOUT_LOCK 0
#endif
/* A join that comes late takes no row from the membership that followed it. 3 */
#ifndef ONE_ROW_PER_DAEMON
#define ONE_ROW_PER_DAEMON 0
#endif
/* Each join has an id of its own. 5 */
#ifndef JOIN_UNDER_THE_SAME_ID
#define JOIN_UNDER_THE_SAME_ID 0
#endif
/* A death frees the ranges and makes the orphans in one step. 1 */
#ifndef DEATH_IN_TWO_STEPS
#define DEATH_IN_TWO_STEPS 0
#endif
/* When a membership ends, the daemon drops its ranges, what it claimed, and what it was about to write. 5, 1, 3 */
#ifndef KEEP_RANGES
#define KEEP_RANGES 0
#endif
#ifndef KEEP_CLAIMED
#define KEEP_CLAIMED 0
#endif
#ifndef KEEP_WRITES
#define KEEP_WRITES 0
#endif
/* What is unknown counts as sent. 1 */
#ifndef UNKNOWN_NOT_SENT
#define UNKNOWN_NOT_SENT 0
#endif
/* A claim passes over the users of orphans. 1 */
#ifndef NO_LOOK_AT_ORPHANS
#define NO_LOOK_AT_ORPHANS 0
#endif
/* It reads them before it reads who is due. 1 */
#ifndef ORPHANS_READ_LAST
#define ORPHANS_READ_LAST 0
#endif
/* It takes its ranges before it reads at all. 1 */
#ifndef RANGES_READ_LATE
#define RANGES_READ_LATE 0
#endif
/* It takes the list of users in hand before it reads at all. 1 */
#ifndef NO_INHAND_SNAPSHOT
#define NO_INHAND_SNAPSHOT 0
#endif
/* A user is in hand until the outcome is recorded. 1 */
#ifndef RELEASED_UNSETTLED
#define RELEASED_UNSETTLED 0
#endif
/* A daemon closes its intent as a whole with its last user, and no sooner. 3 */
#ifndef WHOLE_TOO_EARLY
#define WHOLE_TOO_EARLY 0
#endif
/* An intent is deleted only if the database has no other user of it open. 1 */
#ifndef NO_COUNT_OF_OPEN
#define NO_COUNT_OF_OPEN 0
#endif
/* An intent that was not answered is not written. 2 */
#ifndef LOST_ANSWER_TAKEN_FOR_COMMIT
#define LOST_ANSWER_TAKEN_FOR_COMMIT 0
#endif
/* It is withdrawn: an empty row takes its place. 6, then 4 */
#ifndef NO_WITHDRAW_PLACE
#define NO_WITHDRAW_PLACE 0
#endif
/* After the commit the daemon looks for changes. 7 */
#ifndef NO_LOOK
#define NO_LOOK 0
#endif
/* At touches first, then at its own marks. 7 */
#ifndef MARKS_LOOKED_AT_FIRST
#define MARKS_LOOKED_AT_FIRST 0
#endif
/* A drain marks its users in hand. 7 */
#ifndef NO_MARKS
#define NO_MARKS 0
#endif
/* Before it takes their touches. 7 */
#ifndef MARKS_AFTER_THE_DRAIN
#define MARKS_AFTER_THE_DRAIN 0
#endif
/* It takes only the touches that it has read: its statement may come late. 7 */
#ifndef DRAIN_TAKES_ALL
#define DRAIN_TAKES_ALL 0
#endif
/* A daemon drains nothing while it claims. 7 */
#ifndef DRAIN_DURING_CLAIM
#define DRAIN_DURING_CLAIM 0
#endif
/* Who else changes what a decision depends on leaves a touch. 7 */
#ifndef NO_TOUCH_BY_COMMANDS
#define NO_TOUCH_BY_COMMANDS 0
#endif
/* A claim reads the version before the data. With DRAIN_DURING_CLAIM: 6 */
#ifndef DATA_READ_FIRST
#define DATA_READ_FIRST 0
#endif
/* A settlement leaves due_at alone if the version is another. 6 */
#ifndef NO_VERSION_AT_SETTLEMENT
#define NO_VERSION_AT_SETTLEMENT 0
#endif
/* Somebody records orphans; somebody declares the dead dead. 8 */
#ifndef NO_RECOVERY
#define NO_RECOVERY 0
#endif
#ifndef NO_DEATHS
#define NO_DEATHS 0
#endif

/* More than the protocol asks for: the intent's commit compares turns as well. Then ORPHANS_READ_LAST and NO_INHAND_SNAPSHOT break nothing any more. */
#ifndef TURN_AT_INTENT
#define TURN_AT_INTENT 0
#endif

/* Spare: without these, no property fails. */
#ifndef NO_MEMBER_LOCK_ON_OUTCOMES
#define NO_MEMBER_LOCK_ON_OUTCOMES 0
#endif
#ifndef NO_LOOK_AT_INTENTS_ON_LEAVING
#define NO_LOOK_AT_INTENTS_ON_LEAVING 0
#endif
