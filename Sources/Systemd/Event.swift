package import Logging

/// An event of the journal: its name, its fixed id, its level, its subject and its fields.
///
/// What it means and what to do is in `systemd/nudged.catalog`, by the id (`journalctl -x`). Tests compare both with
/// docs/JOURNAL.md. An id never changes, because operators' queries depend on it.
package struct Event: Sendable {
    /// The most lines of an event within a time. Further lines are only counted, and the next line gives the count.
    package struct Repeats: Sendable {
        package let lines: Int
        package let seconds: Int64
    }

    /// The value of `NUDGED_EVENT`.
    package let name: String
    /// The event's `MESSAGE_ID`: 32 lower-case hexadecimal digits.
    package let messageID: String
    package let level: Logger.Level
    package private(set) var subject = ""
    /// The metadata keys of its lines, beside `event` and `repeats`. In the journal they are in capitals after
    /// `NUDGED_`.
    package private(set) var fields: [String] = []
    /// The limit for its lines. Nil: no limit.
    package private(set) var repeats: Repeats?

    init(_ name: String, _ messageID: String, _ level: Logger.Level) {
        self.name = name
        self.messageID = messageID
        self.level = level
    }

    /// Adds the subject and the limit for its lines.
    func saying(_ subject: String, atMost lines: Int? = nil, in seconds: Int64 = 60) -> Event {
        var event = self
        event.subject = subject
        event.repeats = lines.map { Repeats(lines: $0, seconds: seconds) }
        return event
    }

    func with(_ fields: [String]) -> Event {
        var event = self
        event.fields = fields
        return event
    }
}

/// Compared by name.
extension Event: Hashable {
    package static func == (left: Event, right: Event) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Every event of the journal. Devices are called by a keyed hash, never by their tokens.
extension Event {
    package static let all = [
        daemonReady, daemonStopping, daemonStopped, configurationRefused, configurationWarning, reloadDone,
        reloadFailed, sweep, writeFailed, fanOutFailed, intentsRecovered, leaseLost, rangesOwned, daemonsDead,
        kindsPaused, kindsResumed, partitionsFailed, statusFailed, decisionFallback, decisionBack, databaseLost,
        databaseBusy, databaseExhausted, databaseWaits, databaseRefused, databaseBack, migrationsMissing, schemaDiffers,
        connectionOpened, connectionLost, goaway, laneStopped, laneResumed, laneSlowed, connectionResting,
        providerTokenMinted, ourBug, pushRejected, pushUnknown, deviceQuarantined, deviceMoved, invalidToken,
        payloadTooLarge, deviceNotServed, preferencesMalformed, timezoneInvalid, timezoneUnreadable, timezonesMissing,
        historyAhead, rowUnreadable, metricsFailed, metricsBack, heartbeatFailed, heartbeatBack,
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    package static func named(_ name: String) -> Event? { byName[name] }

    // MARK: Start, stop, configuration

    package static let daemonReady = Event("daemon_ready", "7a275739019a4c55969dde574c07f700", .info)
        .saying("nudged is ready").with(["version", "interval_ms"])
    package static let daemonStopping = Event("daemon_stopping", "263c89e4f0d348bb88cfe53eea46c7f9", .info)
        .saying("nudged stops").with(["in_flight"])
    package static let daemonStopped = Event("daemon_stopped", "38768e2cbc574aa6828022c7aaa3b97f", .info)
        .saying("nudged has stopped")
    package static let configurationRefused = Event("configuration_refused", "3ae04a304b004c8fa2c81c47ee1fa08c", .error)
        .saying("The configuration can't be used")
    package static let configurationWarning = Event(
        "configuration_warning",
        "85ba7f29407b4f33b8f49d54d08faa0e",
        .warning
    )
    .saying("Something in the configuration is probably a mistake")
    package static let reloadDone = Event("reload_done", "f4e0d244d9d341089b37a644dea43a49", .notice)
        .saying("The new configuration is in force")
    package static let reloadFailed = Event("reload_failed", "0511c875e75f4751aa7f3cafebb571aa", .error)
        .saying("The new configuration can't be used, the old one stays")

    // MARK: What a sweep did, and what kept it

    package static let sweep = Event("sweep", "2d1b78e5ca934e2793fe7f37f671784a", .info)
        .saying("A sweep did something")
        .with([
            "sweep_id", "users", "sent", "rejected", "deferred", "unknown", "unsent", "skipped", "dropped", "changed",
            "recovered", "fenced", "tokens_deleted", "without_consent", "duration_ms",
        ])
    package static let writeFailed = Event("write_failed", "740ce9d5ef1e4f4a8370023b38d18d7d", .warning)
        .saying("PostgreSQL refused a statement", atMost: 1)
    package static let fanOutFailed = Event("fan_out_failed", "76325d76c1e24b61a8644ae84f33a15b", .warning)
        .saying("The fan-out of a reminder for everyone failed", atMost: 3)
        .with(["reminder_id", "subject_type", "subject_id"])
    package static let intentsRecovered = Event("intents_recovered", "5c02f2c273c14af8af0a50dfc096ba89", .warning)
        .saying("A daemon died while it was sending").with(["unknown"])
    package static let leaseLost = Event("lease_lost", "9f7027b2b9734ca1b8d20820d3f3f172", .warning)
        .saying("A lease ended before its pushes were recorded").with(["unknown"])
    package static let rangesOwned = Event("ranges_owned", "b0d5f6a3c1e94f0f8f6f1d6b3c6a2f71", .info)
        .saying("The daemon's share of the users has changed").with(["ranges", "members"])
    package static let daemonsDead = Event("daemons_dead", "5a0f8f0b7a9c4f3f9d53b6f0e7b1c2d8", .warning)
        .saying("A daemon was declared dead").with(["members"])
    package static let kindsPaused = Event("kinds_paused", "31ba89c668604745b366a717b497b405", .warning)
        .saying("Nudges are paused").with(["kinds"])
    package static let kindsResumed = Event("kinds_resumed", "b1f48c1ed44f48009631b43a54a6f21e", .notice)
        .saying("Nudges are sent again").with(["kinds"])
    package static let partitionsFailed = Event("partitions_failed", "0f496831999d4b1cb0c684651af22900", .warning)
        .saying("The record's next partitions could not be created", atMost: 1, in: 3600)
    package static let statusFailed = Event("status_failed", "da04f726997a41929e2aa7c79cd27c5b", .warning)
        .saying("The daemon can't write its status", atMost: 1, in: 3600)
    package static let decisionFallback = Event("decision_fallback", "458aeadf3ed96f21a9f869fccc3c6658", .warning)
        .saying("The decision service is not called for now", atMost: 1).with(["reason"])
    package static let decisionBack = Event("decision_back", "a5a760897535ae06d7d1a1ca8a773a8e", .notice)
        .saying("The decision service answers again", atMost: 1)

    // MARK: PostgreSQL, by changes of its state

    package static let databaseLost = Event("database_lost", "71dfae06d55d4ef6a427e5cf78b6cebf", .error)
        .saying("PostgreSQL can't be reached").with(["sqlstate"])
    package static let databaseBusy = Event("database_busy", "10f2aa4a3e6948868c9f0a7626e5529c", .warning)
        .saying("PostgreSQL ended a statement", atMost: 1).with(["sqlstate"])
    package static let databaseExhausted = Event("database_exhausted", "9d3c57e1f08b4a6a8c2e61b4d7a05f39", .error)
        .saying("PostgreSQL has no disk space, memory or connections left", atMost: 1).with(["sqlstate"])
    package static let databaseWaits = Event("database_waits", "0dcdc606ef8b42db9c2e396bd2986bf6", .error)
        .saying("PostgreSQL's commits get no answer", atMost: 1).with(["sqlstate"])
    package static let databaseRefused = Event("database_refused", "2d2d0a23b24a4af09abf01b86164c9c5", .error)
        .saying("PostgreSQL refuses the credentials or a right").with(["sqlstate"])
    package static let databaseBack = Event("database_back", "24f940733d4a449687b1df314f5777be", .notice)
        .saying("PostgreSQL answers again").with(["away_ms"])
    package static let migrationsMissing = Event("migrations_missing", "5802b8ea786c491cb958347c785acaec", .error)
        .saying("The schema does not fit this version")
    package static let schemaDiffers = Event("schema_differs", "b1f3a7c25d0e4d7c9a64e2807f51c3d8", .notice)
        .saying("The schema is of another version of nudged")

    // MARK: Apple, lane by lane: a lane is a key, an environment and a topic

    package static let connectionOpened = Event("connection_opened", "6f567db55a2a4a4d94b3f76bc629ca9d", .info)
        .saying("A connection is open", atMost: 5, in: 600)
        .with(["topic", "environment", "connection", "streams", "server"])
    package static let connectionLost = Event("connection_lost", "287141fdbb9245c2b36d78582d74819a", .warning)
        .saying("A connection ended", atMost: 3, in: 600).with(["topic", "environment", "connection"])
    package static let goaway = Event("goaway", "8fa46c934f2446d1918ad7f81f09cad4", .info)
        .saying("The server closes a connection in good order", atMost: 5, in: 600)
        .with(["topic", "environment", "connection", "reason"])
    package static let laneStopped = Event("lane_stopped", "50f9e3caaa354133890de68e4ff669ab", .error)
        .saying("Sending is stopped").with(["topic", "environment", "reason"])
    package static let laneResumed = Event("lane_resumed", "4c0157fc769e4c14a73bc90321b8ff00", .notice)
        .saying("Sending resumes").with(["topic", "environment"])
    package static let laneSlowed = Event("lane_slowed", "b114a3d4161d4b6e9fb8dd94ed42e8b4", .warning)
        .saying("Apple answers with errors of its own").with(["topic", "environment", "count", "status", "reason"])
    package static let connectionResting = Event("connection_resting", "ca32c9357b224679916c9195716bb727", .warning)
        .saying("A connection sends nothing for 20 minutes").with(["topic", "environment"])
    package static let providerTokenMinted = Event("provider_token_minted", "b9ab84c835514213a84570bdbcb20f7b", .debug)
        .saying("A provider token was signed").with(["topic", "environment", "key_id", "issued_at"])
    package static let ourBug = Event("our_bug", "3c575221bf724bdea409d3d1bee33a52", .error)
        .saying("Apple refused a push because of a bug in nudged", atMost: 5)
        .with(["topic", "environment", "status", "reason"])

    // MARK: One user's push or device. Devices are called by a keyed hash, never by their tokens

    package static let pushRejected = Event("push_rejected", "e2bb418825c14884849d069fce98a6d0", .notice)
        .saying("Apple refused a push", atMost: 5).with(["user_id", "device", "reason", "status"])
    package static let pushUnknown = Event("push_unknown", "e7a210cf20554669858fad9182477a3a", .notice)
        .saying("A push was not answered", atMost: 5).with(["user_id", "kind", "device", "reason"])
    package static let deviceQuarantined = Event("device_quarantined", "b2f5ca98b7964e8983996959348d730a", .notice)
        .saying("A device gets nothing until it registers again", atMost: 5)
        .with(["user_id", "device", "reason", "topic", "environment"])
    package static let deviceMoved = Event("device_moved", "5c1d9b0f7a6e4f0f9d0a3f5e8b27c416", .info)
        .saying("A device works in the other environment", atMost: 5)
        .with(["user_id", "device", "topic", "environment"])
    package static let invalidToken = Event("invalid_token", "a85cc662bca845b6a4ed9e6e37a86b6a", .warning)
        .saying("A device token is not valid", atMost: 5).with(["user_id", "device", "reason", "status"])
    package static let payloadTooLarge = Event("payload_too_large", "3ad0d573a35448d195e8611b36d859cd", .error)
        .saying("A payload is over Apple's limit", atMost: 5).with(["user_id", "device", "reason", "status"])
    package static let deviceNotServed = Event("device_not_served", "af48d17df48c48f592df9600dff7d3e0", .notice)
        .saying("The configuration has no app for a device", atMost: 5).with(["user_id"])

    // MARK: Rows and files that can't be used as they are: each harms its own user alone

    package static let preferencesMalformed = Event(
        "preferences_malformed",
        "d403181ac22041b4a6e5d6b84568b615",
        .warning
    )
    .saying("Preferences can't be read", atMost: 5).with(["user_id"])
    package static let timezoneInvalid = Event("timezone_invalid", "df6f090296e94e5092d1fc7b7243829d", .warning)
        .saying("A time zone is unknown", atMost: 5).with(["user_id"])
    package static let timezoneUnreadable = Event("timezone_unreadable", "b10e9b06da9007e7d8e4b5a79565ee7c", .error)
        .saying("Time-zone files can't be read", atMost: 1, in: 600).with(["users", "unread", "errno"])
    package static let timezonesMissing = Event("timezones_missing", "7453e2be6d264179acd543f468e12877", .error)
        .saying("There are no time-zone files")
    package static let historyAhead = Event("history_ahead", "ab40e38e37c440a3861ffa60a86d0e7f", .warning)
        .saying("A user's history is in the future", atMost: 5).with(["user_id"])
    package static let rowUnreadable = Event("row_unreadable", "9e0c7a5b4d1f4c3e8f62a1b7d05c94e3", .error)
        .saying("The data of one user can't be read or written", atMost: 5).with(["user_id", "column"])

    // MARK: Metrics and heartbeat

    package static let metricsFailed = Event("metrics_failed", "d1bc84a602f24bf295f2a5e9e9da6357", .warning)
        .saying("The metrics can't be served").with(["place"])
    package static let metricsBack = Event("metrics_back", "d46faafe67354667a87b9b0e2527926a", .notice)
        .saying("The metrics are available again").with(["place"])
    package static let heartbeatFailed = Event("heartbeat_failed", "365a739e5f724dbcb70dbdb681318e07", .warning)
        .saying("The heartbeat's calls fail", atMost: 1).with(["reason"])
    package static let heartbeatBack = Event("heartbeat_back", "04b9c67454034933ad29998d5b75be57", .notice)
        .saying("The heartbeat's calls succeed again", atMost: 1)
}
