extension Metric {
    /// Every metric, by groups, in the order of the page.
    static let groups: [(title: String, metrics: [Metric])] = [
        ("The service", service), ("Sweeps", sweeps), ("Pushes", pushes), ("Apple", apple), ("Decisions", decisions),
        ("The database and the work", work),
    ]

    /// Every metric.
    static let all = groups.flatMap(\.metrics)

    // MARK: The service

    private static let service = [buildInfo, startTime, lastSuccess, sweepInterval, lostLines]

    static let buildInfo = Metric(
        "nudged_build_info",
        .gauge,
        labels: ["version"],
        "Always 1; its label is the version that runs.",
        use: "Join it to see which version did what."
    )
    static let startTime = Metric(
        "nudged_start_time_seconds",
        .gauge,
        "When the process started, in seconds since 1970.",
        use: "`changes(…[1h])` counts restarts; the journal says why."
    )
    static let lastSuccess = Metric(
        "nudged_last_success_timestamp_seconds",
        .gauge,
        "When the last good sweep ended, in seconds since 1970; 0: none since the start.",
        use:
            "The one to be woken by: a sweep is good that the database let go through while Apple takes pushes of an app. `nudged status` says what is in the way."
    )
    static let sweepInterval = Metric(
        "nudged_sweep_interval_seconds",
        .gauge,
        "From the beginning of one sweep to the next, as configured.",
        use: "What the age of the last success is compared with."
    )
    static let lostLines = Metric(
        "nudged_log_lines_lost_total",
        .counter,
        "Lines of the log that could not be written anywhere.",
        use: "Look at journald: what happened meanwhile stands nowhere."
    )

    // MARK: Sweeps

    private static let sweeps = [
        rangesOwned, sweepsEnded, sweepDuration, usersClaimed, usersChanged, recovered, fenced, writeFailures,
    ]

    static let rangesOwned = Metric(
        "nudged_ranges_owned",
        .gauge,
        "Ranges of users that this daemon owns, of 64.",
        use:
            "All daemons together own 64. Fewer for longer than `schedule.lease`: nobody works on the other users; `nudged status` shows who owns how many."
    )
    static let sweepsEnded = Metric(
        "nudged_sweeps_total",
        .counter,
        labels: ["result"],
        "Sweeps whose last push was settled, good ones and those that the database, the schema or Apple cut short.",
        use: "`result=\"cut_short\"` that grows has a line in the journal."
    )
    static let sweepDuration = Metric(
        "nudged_sweep_duration_seconds",
        .histogram,
        "From a sweep's first query to the settling of its last push.",
        use: "Where the long ones grow more, look at the database first (docs/PERFORMANCE.md)."
    )
    static let usersClaimed = Metric(
        "nudged_users_claimed_total",
        .counter,
        "Users claimed and evaluated.",
        use: "What the daemon does. Of several daemons each has its share."
    )
    static let usersChanged = Metric(
        "nudged_users_changed_total",
        .counter,
        "Users of whom something changed between decision and push, and who are asked again.",
        use: "Many, all the time: the app touches its users' rows more often than it must (docs/SQL.md)."
    )
    static let recovered = Metric(
        "nudged_pushes_recovered_total",
        .counter,
        "Pushes of a daemon that died, recorded as unknown.",
        use: "Find out what killed it: `journalctl -u nudged _PID=1`."
    )
    static let fenced = Metric(
        "nudged_settlements_fenced_total",
        .counter,
        "Chunks whose outcomes came after the lease had ended; another daemon recorded them as unknown.",
        use: "A machine that was suspended, or a database that did not answer for a lease's time."
    )
    static let writeFailures = Metric(
        "nudged_write_failures_total",
        .counter,
        "Times that the database did not take what was to be written; each is tried again.",
        use: "The journal's `write_failed` has the database's reason."
    )

    // MARK: Pushes

    private static let pushes = [pushesEnded, unsent, inFlight, tokensDeleted, quarantined]

    static let pushesEnded = Metric(
        "nudged_pushes_total",
        .counter,
        labels: ["kind", "outcome"],
        "Rows written into the record, nudged.delivery, by kind of nudge and by outcome.",
        use:
            "The share of `rejected` beyond the tokens deleted is what Apple refuses for a reason that somebody should mend; `unknown` is what nobody knows the fate of."
    )
    static let unsent = Metric(
        "nudged_pushes_unsent_total",
        .counter,
        "Pushes that were not written to Apple and are asked again.",
        use: "Lanes that stop in mid-sweep, or users who change meanwhile."
    )
    static let inFlight = Metric(
        "nudged_pushes_in_flight",
        .gauge,
        "Pushes whose intents are open: on their way to Apple, or to the record.",
        use: "At `apns.maxInFlight` for long: Apple, or the database, is slow."
    )
    static let tokensDeleted = Metric(
        "nudged_tokens_deleted_total",
        .counter,
        "Device tokens deleted after Apple said that they are no more.",
        use: "Part of every day; a jump follows a release that people remove."
    )
    static let quarantined = Metric(
        "nudged_devices_quarantined_total",
        .counter,
        "Devices that Apple refuses on their lane, and that get nothing there until they register anew.",
        use: "The journal's `device_quarantined` names them."
    )

    // MARK: Apple

    private static let apple = [laneState]

    static let laneState = Metric(
        "nudged_lane_state",
        .gauge,
        labels: ["environment", "topic", "state"],
        "1 for the state in which an app's lane to Apple is, 0 for the others.",
        use: "`stopped`: Apple refuses key, topic or environment; `nudged status` says the mend."
    )

    // MARK: Decisions

    private static let decisions = [usersDecided, serviceDecisions, serviceState, pausedKinds]

    static let usersDecided = Metric(
        "nudged_users_decided_total",
        .counter,
        labels: ["result"],
        "Users decided by the policy: send, or the reason why nothing is sent now.",
        use:
            "`nudged explain USER` says it of one; a jump of `preferences_malformed` or `timezone_unreadable` is somebody's mistake."
    )
    static let serviceDecisions = Metric(
        "nudged_service_decisions_total",
        .counter,
        labels: ["by", "notify"],
        "Nudges decided by the decision service, or by the user's fallback strategy in its place.",
        use: "Where `by=\"fallback\"` has a part in it, look at the service."
    )
    static let serviceState = Metric(
        "nudged_decision_service_state",
        .gauge,
        labels: ["state"],
        "1 for the state of the decision service, 0 for the other; shown where one is configured.",
        use: "`fallback`: it is left alone, and each user's strategy decides; the journal says why."
    )
    static let pausedKinds = Metric(
        "nudged_paused",
        .gauge,
        labels: ["kind"],
        "Whether a kind of nudge is paused.",
        use: "`nudged status` says by whom and why; `nudged resume` ends it."
    )

    // MARK: The database and the work

    private static let work = [
        databaseUp, schemaUsable, daemonsAlive, dueUsers, dueOldest, changesWaiting, unknownPushes,
    ]

    static let databaseUp = Metric(
        "nudged_database_up",
        .gauge,
        "Whether PostgreSQL answers this daemon.",
        use: "The journal's `database_lost`, `database_refused` or `database_busy` has the reason."
    )
    static let schemaUsable = Metric(
        "nudged_schema_usable",
        .gauge,
        "Whether this version can work with the database's schema, as far as it was seen.",
        use:
            "0 with `nudged_database_up` 1: migrations are missing, or a newer nudged has migrated; the journal says which."
    )
    static let daemonsAlive = Metric(
        "nudged_daemons_alive",
        .gauge,
        "Daemons of this database that were seen within 30 seconds.",
        use: "Fewer than you started: one is gone without notice."
    )
    static let dueUsers = Metric(
        "nudged_due_users",
        .gauge,
        "Users who are due now, counted up to 10,000.",
        use: "Falls between bursts; where it doesn't, the daemons don't keep up."
    )
    static let dueOldest = Metric(
        "nudged_due_oldest_seconds",
        .gauge,
        "For how long the first of the users who are due has been due; 0: nobody is.",
        use: "How late nudges are. Growing without end: nobody is served, or not those."
    )
    static let changesWaiting = Metric(
        "nudged_changes_waiting",
        .gauge,
        "Changes of the app's data that no sweep has taken, counted up to 10,000.",
        use: "Nothing is sent to a user whose change waits; a daemon takes them at each sweep."
    )
    static let unknownPushes = Metric(
        "nudged_unknown_pushes",
        .gauge,
        "Pushes of the last 24 hours of whose fate nobody knows, counted up to 10,000.",
        use: "Of all daemons, dead ones too; check-ins are not sent again, messages once."
    )
}
