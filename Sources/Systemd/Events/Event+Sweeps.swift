extension Event {
    // MARK: What a sweep did, and what kept it.

    static let sweeps = [
        sweep, writeFailed, fanOutFailed, intentsRecovered, leaseLost, rangesOwned, daemonsDead, kindsPaused,
        kindsResumed, partitionsFailed,
        statusFailed,
        decisionFallback, decisionBack,
    ]

    /// A sweep did something.
    public static let sweep = Event(
        "sweep",
        "2d1b78e5ca934e2793fe7f37f671784a",
        .info,
        "A sweep did something",
        "One pass over all users who were due. Counts are pushes, one for each device. Users are those who were "
            + "evaluated. Users without consent are those about whom the decision service was not asked, since "
            + "smart_enabled in their preferences is not true. A sweep that did nothing logs nothing.",
        fields: [
            "sweep_id", "users", "sent", "rejected", "deferred", "unknown", "unsent", "skipped", "dropped", "changed",
            "recovered", "fenced", "tokens_deleted", "without_consent", "duration_ms",
        ]
    )

    /// PostgreSQL refused a statement of a sweep.
    public static let writeFailed = Event(
        "write_failed",
        "740ce9d5ef1e4f4a8370023b38d18d7d",
        .warning,
        "PostgreSQL refused a statement",
        "nudged could not drain changes, claim users or record outcomes. It tries again. Users whose outcomes are not "
            + "recorded get nothing new until then.",
        remedy: "Look at the cause in the line: a view or table that is missing, a full disk, a lock, a read-only "
            + "server. nudged status says since when.",
        atMost: 1
    )

    /// The fan-out of a reminder for everyone failed.
    public static let fanOutFailed = Event(
        "spread_failed",
        "76325d76c1e24b61a8644ae84f33a15b",
        .warning,
        "The fan-out of a reminder for everyone failed",
        "nudged could not read the members of @NUDGED_SUBJECT_TYPE@ @NUDGED_SUBJECT_ID@, or could not write their "
            + "rows. Members who were reached keep the reminder. nudged tries again by itself, after longer and longer "
            + "pauses. Other reminders wait only if the view does not answer in time.",
        remedy:
            "Run select * from nudged.subject_member as nudged_daemon. The line says what PostgreSQL refused. nudged "
            + "status shows which reminders wait.",
        fields: ["reminder_id", "subject_type", "subject_id"],
        atMost: 3
    )

    /// The pushes in flight of a dead daemon were recorded as unknown.
    public static let intentsRecovered = Event(
        "intents_recovered",
        "5c02f2c273c14af8af0a50dfc096ba89",
        .warning,
        "A daemon died while it was sending",
        "@NUDGED_UNKNOWN@ pushes were in flight when a daemon died. Nobody knows whether they arrived, so they are "
            + "recorded as unknown. Check-ins are not sent again. Messages and reminders are sent once more.",
        remedy: "Look for the cause in that daemon's journal: killed for its memory, a host that went down.",
        fields: ["unknown"]
    )

    /// The outcome of pushes came after another daemon had recorded them as unknown.
    public static let leaseLost = Event(
        "lease_lost",
        "9f7027b2b9734ca1b8d20820d3f3f172",
        .warning,
        "A lease ended before its pushes were recorded",
        "The outcomes of @NUDGED_UNKNOWN@ pushes came after another daemon had recorded them as unknown. Check-ins are "
            + "not sent again. Messages and reminders are sent once more.",
        remedy: "Find the cause: a host that hung, a clock that jumped, or a database that was away for longer than "
            + "schedule.lease. If it repeats, make the lease longer.",
        fields: ["unknown"]
    )

    /// The number of ranges that this daemon owns has changed.
    public static let rangesOwned = Event(
        "ranges_owned",
        "b0d5f6a3c1e94f0f8f6f1d6b3c6a2f71",
        .info,
        "The daemon's share of the users has changed",
        "The daemons on one database share the users: each owns some of the 64 ranges of the hash of user_id. A daemon "
            + "has started or stopped, or was declared dead.",
        fields: ["ranges", "members"]
    )

    /// A daemon was declared dead.
    public static let daemonsDead = Event(
        "daemons_dead",
        "5a0f8f0b7a9c4f3f9d53b6f0e7b1c2d8",
        .warning,
        "A daemon was declared dead",
        "Its lease (schedule.lease) ended without a renewal: it was killed, hangs, or can't reach the database. Other "
            + "daemons serve its users. Its pushes in flight are recorded as unknown.",
        remedy: "Find in its journal why it ended, and start it again.",
        fields: ["members"]
    )

    /// Nudges of some kinds are paused.
    public static let kindsPaused = Event(
        "kinds_paused",
        "31ba89c668604745b366a717b497b405",
        .warning,
        "Nudges are paused",
        "Nothing of these kinds is sent: @NUDGED_KINDS@.",
        remedy: "nudged status says who paused them, when and why. nudged resume ends the pause.",
        fields: ["kinds"]
    )

    /// Paused kinds of nudges are sent again.
    public static let kindsResumed = Event(
        "kinds_resumed",
        "b1f48c1ed44f48009631b43a54a6f21e",
        .notice,
        "Nudges are sent again",
        "These kinds are sent again: @NUDGED_KINDS@. Check-ins that are not too late are sent.",
        fields: ["kinds"]
    )

    /// The next partitions of the record could not be created.
    public static let partitionsFailed = Event(
        "partitions_failed",
        "0f496831999d4b1cb0c684651af22900",
        .warning,
        "The record's next partitions could not be created",
        "Partitions of nudged.delivery are created seven days ahead, so nothing is lost yet.",
        remedy: "Look at the cause in the line. Usually a reader has held the table for hours.",
        atMost: 1,
        in: 3600
    )

    /// The daemon can't write its status.
    public static let statusFailed = Event(
        "standing_failed",
        "da04f726997a41929e2aa7c79cd27c5b",
        .warning,
        "The daemon can't write its status",
        "nudged status shows this daemon as silent, although it works.",
        remedy: "If a right is missing, run select nudged.grant_roles() as the owner of schema nudged. Then run nudged "
            + "status.",
        atMost: 1,
        in: 3600
    )

    /// The decision service is not called for a while, because it failed too often.
    public static let decisionFallback = Event(
        "decision_fallback",
        "458aeadf3ed96f21a9f869fccc3c6658",
        .warning,
        "The decision service is not called for now",
        "It failed too often (@NUDGED_REASON@). Until it answers, each user's fallback_strategy decides. nudged tries "
            + "it again within a minute.",
        remedy: "Check the service and its log. nudged status shows its state.",
        fields: ["reason"],
        atMost: 1
    )

    /// The decision service answers again.
    public static let decisionBack = Event(
        "decision_back",
        "a5a760897535ae06d7d1a1ca8a773a8e",
        .notice,
        "The decision service answers again",
        "nudged calls it again for every nudge that the policy allows.",
        atMost: 1
    )
}
