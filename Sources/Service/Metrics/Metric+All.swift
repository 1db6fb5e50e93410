extension Metric {
    /// All metrics in groups, in the order of the page.
    static let groups: [(title: String, metrics: [Metric])] = [
        ("The service", service), ("Sweeps", sweeps), ("Pushes", pushes), ("Apple", apple), ("Decisions", decisions),
        ("The database and the work", work),
    ]

    static let all = groups.flatMap(\.metrics)

    // MARK: The service

    private static let service = [buildInfo, startTime, lastSuccess, sweepInterval, lostLines]

    static let buildInfo = Metric(
        "nudged_build_info",
        .gauge,
        labels: ["version"],
        "Always 1. Its label is the version that runs.",
        use: "Join it to see which version did what."
    )
    static let startTime = Metric(
        "nudged_start_time_seconds",
        .gauge,
        "When the process started, in seconds since 1970.",
        use: "`changes(…[1h])` counts restarts. The journal says why."
    )
    static let lastSuccess = Metric(
        "nudged_last_success_timestamp_seconds",
        .gauge,
        "When the last good sweep ended, in seconds since 1970. 0: none since the start.",
        use:
            "Page somebody if it is old. A sweep is good if the database accepted its drain, its claim and its settlements, the schema fits, and Apple takes pushes of an app. `nudged status` says what is wrong."
    )
    static let sweepInterval = Metric(
        "nudged_sweep_interval_seconds",
        .gauge,
        "Time from the start of one sweep to the next, as configured.",
        use: "Compare it with the age of the last success."
    )
    static let lostLines = Metric(
        "nudged_log_lines_lost_total",
        .counter,
        "Lines of the log that could not be written anywhere.",
        use: "Check journald. The lost lines are nowhere."
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
            "All daemons together own 64. If they own fewer for longer than `schedule.lease`, some users are not served. `nudged status` shows the owners."
    )
    static let sweepsEnded = Metric(
        "nudged_sweeps_total",
        .counter,
        labels: ["result"],
        "Sweeps whose last push was settled. A sweep is bad because of the database, the schema or Apple.",
        use: "If `result=\"bad\"` grows, `nudged status` says why."
    )
    static let sweepDuration = Metric(
        "nudged_sweep_duration_seconds",
        .histogram,
        "Time from a sweep's first query until its last push is settled.",
        use: "If long sweeps become more, check the database first (docs/PERFORMANCE.md)."
    )
    static let usersClaimed = Metric(
        "nudged_users_claimed_total",
        .counter,
        "Users claimed and evaluated.",
        use: "The work of this daemon. Each daemon has its share."
    )
    static let usersChanged = Metric(
        "nudged_users_changed_total",
        .counter,
        "Users whose data changed between decision and push. They are evaluated again.",
        use: "If it grows all the time, the app touches its users' rows too often (docs/SQL.md)."
    )
    static let recovered = Metric(
        "nudged_pushes_recovered_total",
        .counter,
        "Pushes of a dead daemon that this daemon recorded as unknown.",
        use: "Find out why that daemon died: `journalctl -u nudged _PID=1`."
    )
    static let fenced = Metric(
        "nudged_settlements_fenced_total",
        .counter,
        "Settlements that came after the lease had ended. Another daemon recorded their pushes as unknown.",
        use: "The machine was suspended, or the database did not answer for as long as a lease."
    )
    static let writeFailures = Metric(
        "nudged_write_failures_total",
        .counter,
        "Writes that the database refused. Each is tried again.",
        use: "The journal's `write_failed` has the database's reason."
    )

    // MARK: Pushes

    private static let pushes = [pushesEnded, unsent, inFlight, tokensDeleted, quarantined]

    static let pushesEnded = Metric(
        "nudged_pushes_total",
        .counter,
        labels: ["kind", "outcome"],
        "Rows written to the record, nudged.delivery, by kind of nudge and outcome.",
        use:
            "If there are more `rejected` than deleted tokens, Apple refuses pushes for a reason that you can fix. `unknown`: Apple's answer never came."
    )
    static let unsent = Metric(
        "nudged_pushes_unsent_total",
        .counter,
        "Pushes that were not written to Apple. Their users are evaluated again.",
        use: "A lane stopped during a sweep, or users changed."
    )
    static let inFlight = Metric(
        "nudged_pushes_in_flight",
        .gauge,
        "Pushes in open intents: on their way to Apple or to the record.",
        use: "If it stays at `apns.maxInFlight`, Apple or the database is slow."
    )
    static let tokensDeleted = Metric(
        "nudged_tokens_deleted_total",
        .counter,
        "Device tokens deleted after Apple said that they are no longer valid.",
        use: "Normal every day. A jump follows a release after which people remove the app."
    )
    static let quarantined = Metric(
        "nudged_devices_quarantined_total",
        .counter,
        "Devices that Apple refuses on their lane. They get nothing there until they register again.",
        use: "The journal's `device_quarantined` names them."
    )

    // MARK: Apple

    private static let apple = [laneState]

    static let laneState = Metric(
        "nudged_lane_state",
        .gauge,
        labels: ["environment", "topic", "state"],
        "1 for the current state of an app's lane to Apple, 0 for the others.",
        use: "`stopped`: Apple refuses the key, the topic or the environment. `nudged status` says the fix."
    )

    // MARK: Decisions

    private static let decisions = [usersDecided, serviceDecisions, withoutConsent, serviceState, pausedKinds]

    static let usersDecided = Metric(
        "nudged_users_decided_total",
        .counter,
        labels: ["result"],
        "Users decided by the policy: send, or the reason why nothing is sent now.",
        use:
            "`nudged explain USER` shows it for one user. A jump of `preferences_malformed` or `timezone_unreadable` is an error of the app."
    )
    static let serviceDecisions = Metric(
        "nudged_service_decisions_total",
        .counter,
        labels: ["by", "notify"],
        "Nudges decided by the decision service, or instead by the user's fallback strategy.",
        use: "If `by=\"fallback\"` grows, check the service."
    )
    static let withoutConsent = Metric(
        "nudged_users_without_consent_total",
        .counter,
        "Users whose nudges went on without a question to the decision service, since the user does not consent.",
        use:
            "0 if no service is configured. If it grows as fast as `nudged_users_decided_total{result=\"send\"}`, check that the app writes `smart_enabled` (docs/DECISION.md)."
    )
    static let serviceState = Metric(
        "nudged_decision_service_state",
        .gauge,
        labels: ["state"],
        "1 for the current state of the decision service, 0 for the other. Only shown if a service is configured.",
        use:
            "`fallback`: nudged doesn't call the service for now, and each user's strategy decides. The journal says why."
    )
    static let pausedKinds = Metric(
        "nudged_paused",
        .gauge,
        labels: ["kind"],
        "1 if a kind of nudge is paused, else 0.",
        use: "`nudged status` says who paused it and why. `nudged resume` ends the pause."
    )

    // MARK: The database and the work

    private static let work = [
        databaseUp, schemaUsable, daemonsAlive, dueUsers, dueOldest, changesWaiting, unknownPushes,
    ]

    static let databaseUp = Metric(
        "nudged_database_up",
        .gauge,
        "1 if PostgreSQL answers this daemon, else 0. A refused statement is an answer.",
        use: "The journal's `database_lost`, `database_refused` or `database_busy` has the reason."
    )
    static let schemaUsable = Metric(
        "nudged_schema_usable",
        .gauge,
        "1 if this version can work with the database's schema, as last seen, else 0.",
        use:
            "0 while `nudged_database_up` is 1: migrations are missing, or a newer nudged has migrated. The journal says which."
    )
    static let daemonsAlive = Metric(
        "nudged_daemons_alive",
        .gauge,
        "Daemons of this database that were seen in the last 30 seconds.",
        use: "Fewer than you started: a daemon is gone."
    )
    static let dueUsers = Metric(
        "nudged_due_users",
        .gauge,
        "Users who are due now, counted up to 100,000.",
        use: "It falls between bursts. If it doesn't, the daemons don't keep up."
    )
    static let dueOldest = Metric(
        "nudged_due_oldest_seconds",
        .gauge,
        "How long the first due user has been due. 0: no user is due.",
        use: "How late nudges are. If it grows without end, some or all users are not served."
    )
    static let changesWaiting = Metric(
        "nudged_changes_waiting",
        .gauge,
        "Changes of the app's data that no sweep has drained, counted up to 10,000.",
        use: "A user whose change waits gets nothing. Daemons drain changes in each sweep."
    )
    static let unknownPushes = Metric(
        "nudged_unknown_pushes",
        .gauge,
        "Pushes of the last 24 hours whose outcome is unknown, counted up to 10,000.",
        use: "Of all daemons, also dead ones. Check-ins are not sent again. Messages and reminders are repeated once."
    )
}
