/* The guards. -DNAME takes one out; then the property that is named beside it fails. */

/* An intent is fenced by its foreign key: it can't be committed under a membership that has ended. 6; without clocks also 1. */
/* Without it: A daemon commits an intent after its membership has ended, and nobody ever closes it. Without clocks, two owners write the push. */
#ifndef NO_FK_FENCE
#define NO_FK_FENCE 0
#endif
/* A decision that sends nothing is settled under the member lock. 1 */
/* Without it: A decision that sends nothing raises the turn. The new owner's settlement is of the turn before, and its push is not recorded. */
#ifndef NO_MEMBER_LOCK_ON_REST
#define NO_MEMBER_LOCK_ON_REST 0
#endif
/* So are withdrawals. 1 */
#ifndef NO_MEMBER_LOCK_ON_WITHDRAWAL
#define NO_MEMBER_LOCK_ON_WITHDRAWAL 0
#endif
/* And drains. 7 */
/* Without it: A daemon takes the touch of a user whom the new owner has in hand. The new owner has no mark. */
#ifndef NO_MEMBER_LOCK_ON_DRAINS
#define NO_MEMBER_LOCK_ON_DRAINS 0
#endif
/* The member's row is locked until the commit, and not only looked for. 1 */
/* Without it: The member is deleted between the check and the commit. */
#ifndef CHECK_WITHOUT_LOCK
#define CHECK_WITHOUT_LOCK 0
#endif
/* A settlement writes a user only if no other settlement did since the claim: it is of one turn. 1 */
/* Without it: A lost decision takes effect after its repetition. It erases the push that was settled in between. */
#ifndef NO_TURN_ON_RESTS
#define NO_TURN_ON_RESTS 0
#endif
/* Without it: A lost settlement takes effect after its repetition. It erases the next slot. */
#ifndef NO_TURN_ON_OUTCOMES
#define NO_TURN_ON_OUTCOMES 0
#endif
/* So is recovery. 4 */
/* Without it: Recovery records a user as unknown who was settled as accepted. */
#ifndef NO_TURN_ON_RECOVERY
#define NO_TURN_ON_RECOVERY 0
#endif
/* And it raises the turn. 4 */
/* Without it: Recovery records a user twice. */
#ifndef RECOVERY_LEAVES_THE_TURN
#define RECOVERY_LEAVES_THE_TURN 0
#endif
/* A daemon looks at its own clock before it writes. 3 */
/* Without it: A daemon sleeps past its lease, and writes a push that is already recorded as unknown. */
#ifndef NO_CLOCK_CHECK
#define NO_CLOCK_CHECK 0
#endif
/* The margin covers the time from that look to the write. 3 */
/* Without it: A daemon falls asleep between its look at the clock and the write. */
#ifndef NO_MARGIN
#define NO_MARGIN 0
#endif
/* The lease counts from before the renewal was sent. 3 */
/* Without it: The lease ends later by the daemon's clock than by the database's. */
#ifndef LEASE_FROM_THE_ANSWER
#define LEASE_FROM_THE_ANSWER 0
#endif
/* A burial locks the row that holds the lease, and looks again. 3 */
/* Without it: A member that has just renewed is declared dead. */
#ifndef DEATH_WITHOUT_LOCK
#define DEATH_WITHOUT_LOCK 0
#endif
/* A join that comes late takes no row from the membership that followed it. 3 */
/* Without it: A late join takes the daemon's row. The daemon's next membership looks dead. */
#ifndef ONE_ROW_PER_DAEMON
#define ONE_ROW_PER_DAEMON 0
#endif
/* Each join has an id of its own. 5 */
/* Without it: A late join brings a dead member back. */
#ifndef JOIN_UNDER_THE_SAME_ID
#define JOIN_UNDER_THE_SAME_ID 0
#endif
/* A death frees the ranges and makes the orphans in one step. 1 */
/* Without it: The new owner claims before the dead member's intents are orphans. */
#ifndef DEATH_IN_TWO_STEPS
#define DEATH_IN_TWO_STEPS 0
#endif
/* When a membership ends, the daemon drops its ranges, what it claimed, and what it was about to write. 5, 1, 3 */
/* Without it: A daemon joins again and works on its old ranges. */
#ifndef KEEP_RANGES
#define KEEP_RANGES 0
#endif
/* Without it: A daemon joins again and sends what it claimed under its old id. */
#ifndef KEEP_CLAIMED
#define KEEP_CLAIMED 0
#endif
/* Without it: A daemon joins again and writes what it intended under its old id. */
#ifndef KEEP_WRITES
#define KEEP_WRITES 0
#endif
/* What is unknown counts as sent. 1 */
/* Without it: A push that was written and not recorded is sent again. */
#ifndef UNKNOWN_NOT_SENT
#define UNKNOWN_NOT_SENT 0
#endif
/* A claim passes over the users of orphans. 1 */
/* Without it: A user is claimed whose push is not yet recorded as unknown. */
#ifndef NO_LOOK_AT_ORPHANS
#define NO_LOOK_AT_ORPHANS 0
#endif
/* It reads them before it reads who is due. 1 */
/* Without it: The orphan is recorded between the two reads. The list of due users is then out of date. */
#ifndef ORPHANS_READ_LAST
#define ORPHANS_READ_LAST 0
#endif
/* It takes its ranges before it reads at all. 1 */
/* Without it: The daemon takes a range between the two reads. It has not read the orphans of that range. */
#ifndef RANGES_READ_LATE
#define RANGES_READ_LATE 0
#endif
/* It takes the list of users in hand before it reads at all. 1 */
/* Without it: A claim sees a user as due. The user is settled and released before the claim's answer. */
#ifndef NO_INHAND_SNAPSHOT
#define NO_INHAND_SNAPSHOT 0
#endif
/* A user is in hand until the outcome is recorded. 1 */
/* Without it: A user whose settlement is refused is claimed again. */
#ifndef RELEASED_UNSETTLED
#define RELEASED_UNSETTLED 0
#endif
/* A daemon closes its intent as a whole with its last user, and no sooner. 3 */
/* Without it: The daemon closes its intent before its last user is settled. The intent is an orphan while its daemon still writes. */
#ifndef WHOLE_TOO_EARLY
#define WHOLE_TOO_EARLY 0
#endif
/* An intent is deleted only if the database has no other user of it open. 1 */
/* Without it: The intent is deleted while a user is open. Then its daemon dies. */
#ifndef NO_COUNT_OF_OPEN
#define NO_COUNT_OF_OPEN 0
#endif
/* An intent that was not answered is not written. 2 */
/* Without it: A push is written though its intent was never committed. */
#ifndef LOST_ANSWER_TAKEN_FOR_COMMIT
#define LOST_ANSWER_TAKEN_FOR_COMMIT 0
#endif
/* It is withdrawn: an empty row takes its place. 6, then 4 */
/* Without it: A commit comes late, and no daemon knows its intent. Its member can't leave. */
#ifndef NO_WITHDRAW_PLACE
#define NO_WITHDRAW_PLACE 0
#endif
/* After the commit the daemon looks for changes. 7 */
/* Without it: A change that came between the claim and the commit is not seen. */
#ifndef NO_LOOK
#define NO_LOOK 0
#endif
/* At touches first, then at its own marks. 7 */
/* Without it: A change that is drained between the two looks is not seen. */
#ifndef MARKS_LOOKED_AT_FIRST
#define MARKS_LOOKED_AT_FIRST 0
#endif
/* A drain marks its users in hand. 7 */
/* Without it: A change that is drained between the claim and the commit is not seen. */
#ifndef NO_MARKS
#define NO_MARKS 0
#endif
/* Before it takes their touches. 7 */
/* Without it: A change is drained, and the daemon looks before it has marked the user. */
#ifndef MARKS_AFTER_THE_DRAIN
#define MARKS_AFTER_THE_DRAIN 0
#endif
/* It takes only the touches that it has read: its statement may come late. 7 */
/* Without it: A drain comes late and takes a touch that its daemon has not read. */
#ifndef DRAIN_TAKES_ALL
#define DRAIN_TAKES_ALL 0
#endif
/* A daemon drains nothing while it claims. 7 */
/* Without it: A change is drained between a claim's reads and its answer. Its user is not in hand yet, and gets no mark. */
#ifndef DRAIN_DURING_CLAIM
#define DRAIN_DURING_CLAIM 0
#endif
/* Who else changes what a decision depends on leaves a touch. 7 */
/* Without it: A command changes a user who is in hand. */
#ifndef NO_TOUCH_BY_COMMANDS
#define NO_TOUCH_BY_COMMANDS 0
#endif
/* A claim reads the version before the data. With DRAIN_DURING_CLAIM: 6 */
/* Without it: With DRAIN_DURING_CLAIM: a change is drained between the two reads. The claim has old data and the new version. */
#ifndef DATA_READ_FIRST
#define DATA_READ_FIRST 0
#endif
/* A settlement leaves due_at alone if the version is another. 6 */
/* Without it: A change is drained. The settlement sets the user's next due_at all the same, so the change is forgotten. */
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

/* More than the protocol asks for: the intent's commit compares turns as well. Then ORPHANS_READ_LAST and NO_INHAND_SNAPSHOT break nothing. */
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
