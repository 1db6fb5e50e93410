extension Event {
    // MARK: What a sweep did, and what kept it.

    static let sweeps = [
        sweep, writeFailed, spreadFailed, intentsRecovered, leaseLost, rangesOwned, daemonsDead, kindsPaused,
        kindsResumed, partitionsFailed,
        standingFailed,
        decisionFallback, decisionBack,
    ]

    /// A sweep did something.
    public static let sweep = Event(
        "sweep",
        "2d1b78e5ca934e2793fe7f37f671784a",
        .info,
        "A sweep did something",
        "A round over everyone who was due. Counts are pushes, one a device; users are those who were decided. A "
            + "round that found nothing to do says nothing.",
        fields: [
            "sweep_id", "users", "sent", "rejected", "deferred", "unknown", "unsent", "skipped", "dropped", "changed",
            "recovered", "fenced", "tokens_deleted", "duration_ms",
        ]
    )

    /// PostgreSQL did not take what was to be recorded.
    public static let writeFailed = Event(
        "write_failed",
        "740ce9d5ef1e4f4a8370023b38d18d7d",
        .warning,
        "PostgreSQL did not take what was to be recorded",
        "What is or was sent could not be written; it is tried again, and until then nothing new is sent in its "
            + "place.",
        mend: "Where it lasts, look at the line's cause: a full disk, a lock, a read-only server.",
        atMost: 1
    )

    /// A reminder for everyone could not be gone on with.
    public static let spreadFailed = Event(
        "spread_failed",
        "76325d76c1e24b61a8644ae84f33a15b",
        .warning,
        "A reminder for everyone could not be told to all",
        "The members of @NUDGED_SUBJECT_TYPE@ @NUDGED_SUBJECT_ID@ could not be read, or their rows not be written. Whoever was told stays told; "
            + "it goes on by itself, after longer and longer pauses. Other reminders wait only where the view does not answer in time.",
        mend:
            "Try select * from nudged.subject_member as nudged_daemon: the line says what PostgreSQL refused. nudged status shows which wait.",
        fields: ["reminder_id", "subject_type", "subject_id"],
        atMost: 3
    )

    /// A daemon ended without notice.
    public static let intentsRecovered = Event(
        "intents_recovered",
        "5c02f2c273c14af8af0a50dfc096ba89",
        .warning,
        "A daemon ended without notice",
        "@NUDGED_UNKNOWN@ pushes were on the wire when a daemon died. Whether they arrived nobody knows: they are "
            + "recorded as unknown, check-ins are not sent again, messages and reminders once.",
        mend: "Look for the cause in that daemon's journal: killed for its memory, a host that went down.",
        fields: ["unknown"]
    )

    /// A lease ended before its pushes were recorded.
    public static let leaseLost = Event(
        "lease_lost",
        "9f7027b2b9734ca1b8d20820d3f3f172",
        .warning,
        "A lease ended before its pushes were recorded",
        "The outcome of @NUDGED_UNKNOWN@ pushes came after another daemon had recorded them as unknown. Nothing is "
            + "sent twice.",
        mend:
            "A host that hung, a clock that jumped or a database that was away for longer than schedule.lease; make the "
            + "lease longer where it repeats.",
        fields: ["unknown"]
    )

    /// How much of the work is this daemon's has changed.
    public static let rangesOwned = Event(
        "ranges_owned",
        "b0d5f6a3c1e94f0f8f6f1d6b3c6a2f71",
        .info,
        "The daemon's share of the users has changed",
        "The daemons on one database share the users: each owns some of the 64 ranges of the hash of user_id. A daemon has started, stopped, or "
            + "was declared dead.",
        fields: ["ranges", "members"]
    )

    /// Other daemons are dead.
    public static let daemonsDead = Event(
        "daemons_dead",
        "5a0f8f0b7a9c4f3f9d53b6f0e7b1c2d8",
        .warning,
        "A daemon was declared dead",
        "Its lease (schedule.lease) ended without a renewal: it was killed, hangs, or can't reach the database. Its users are served by the others. What it was "
            + "sending is recorded as unknown.",
        mend: "See in its journal why it ended, and start it again.",
        fields: ["members"]
    )

    /// Somebody turned nudges off.
    public static let kindsPaused = Event(
        "kinds_paused",
        "31ba89c668604745b366a717b497b405",
        .warning,
        "Somebody turned nudges off",
        "Of these kinds nothing is sent: @NUDGED_KINDS@.",
        mend: "nudged status says who, when and why; nudged resume lets them go on.",
        fields: ["kinds"]
    )

    /// Nudges are on again.
    public static let kindsResumed = Event(
        "kinds_resumed",
        "b1f48c1ed44f48009631b43a54a6f21e",
        .notice,
        "Nudges are on again",
        "These kinds are sent again: @NUDGED_KINDS@. Slots that are still fresh go out.",
        fields: ["kinds"]
    )

    /// The record's next days could not be made ready.
    public static let partitionsFailed = Event(
        "partitions_failed",
        "0f496831999d4b1cb0c684651af22900",
        .warning,
        "The record's next days could not be made ready",
        "The partitions of nudged.delivery are made seven days ahead, so nothing is lost yet.",
        mend: "Look at the line's cause; a reader that holds the table for hours is the usual one.",
        atMost: 1,
        in: 3600
    )

    /// The daemon can't write how it stands.
    public static let standingFailed = Event(
        "standing_failed",
        "da04f726997a41929e2aa7c79cd27c5b",
        .warning,
        "The daemon can't write how it stands",
        "nudged status shows this daemon as silent, though it works.",
        mend: "Give its role its rights: nudged migrate as the owner; then nudged status.",
        atMost: 1,
        in: 3600
    )

    /// The decision service counts as dead.
    public static let decisionFallback = Event(
        "decision_fallback",
        "458aeadf3ed96f21a9f869fccc3c6658",
        .warning,
        "The decision service is left alone",
        "It failed too often (@NUDGED_REASON@), so it is not asked for a while, and each user's fallback_strategy decides. It is tried again within a minute.",
        mend: "Look at the service and its log; nudged status shows how it stands here.",
        fields: ["reason"],
        atMost: 1
    )

    /// The decision service answers again.
    public static let decisionBack = Event(
        "decision_back",
        "a5a760897535ae06d7d1a1ca8a773a8e",
        .notice,
        "The decision service answers again",
        "It is asked again for everyone whom it concerns.",
        atMost: 1
    )
}
