import Catalog

/// An event of the journal: its name, id, level and limit. Devices are called by a keyed hash, never by their tokens.
/// Its subject, what it means and what to do are in `systemd/nudged.catalog`, by the id (`journalctl -x`). Tests compare
/// both with docs/JOURNAL.md. An id never changes, because operators' queries depend on it.
package enum Event: Sendable, CaseIterable {
    case daemonReady, daemonStopping, daemonStopped, configurationRefused, configurationWarning, reloadDone,
        reloadFailed, sweep, writeFailed, fanOutFailed, intentsRecovered, leaseLost, rangesOwned, daemonsDead,
        kindsPaused, kindsResumed, partitionsFailed, statusFailed, decisionFallback, decisionBack, databaseLost,
        databaseBusy, databaseExhausted, databaseWaits, databaseRefused, databaseBack, migrationsMissing,
        schemaDiffers, connectionOpened, connectionLost, goaway, laneStopped, laneResumed, laneSlowed,
        connectionResting, providerTokenMinted, ourBug, pushRejected, pushUnknown, deviceQuarantined, deviceMoved,
        invalidToken, payloadTooLarge, deviceNotServed, preferencesMalformed, timezoneInvalid, timezoneUnreadable,
        timezonesMissing, historyAhead, rowUnreadable, metricsFailed, metricsBack, heartbeatFailed, heartbeatBack

    /// The most lines of an event within a time. Further lines are only counted, and the next line gives the count.
    package struct Repeats: Sendable {
        package let lines: Int
        package let seconds: Int64

        static func most(_ lines: Int, in seconds: Int64 = 60) -> Repeats { Repeats(lines: lines, seconds: seconds) }
    }

    /// The value of `NUDGED_EVENT`.
    package var name: String { definition.name }
    /// The event's `MESSAGE_ID`: 32 lower-case hexadecimal digits.
    package var messageID: String { definition.messageID }
    package var level: LogLevel { definition.level }
    /// The limit for its lines. Nil: no limit.
    package var repeats: Repeats? { definition.repeats }
    package var subject: String { Self.subjects[messageID] ?? "" }

    /// The catalog's, by the events' ids.
    private static let subjects: [String: String] = {
        var subjects: [String: String] = [:]
        var id = ""
        for line in String(cString: nudged_catalog()).split(separator: "\n") {
            if line.hasPrefix("-- ") { id = String(line.dropFirst("-- ".count)) }
            if line.hasPrefix("Subject: ") { subjects[id] = String(line.dropFirst("Subject: ".count)) }
        }
        return subjects
    }()

    private var definition: (name: String, messageID: String, level: LogLevel, repeats: Repeats?) {
        switch self {
        // Start, stop, configuration
        case .daemonReady: ("daemon_ready", "7a275739019a4c55969dde574c07f700", .info, nil)
        case .daemonStopping: ("daemon_stopping", "263c89e4f0d348bb88cfe53eea46c7f9", .info, nil)
        case .daemonStopped: ("daemon_stopped", "38768e2cbc574aa6828022c7aaa3b97f", .info, nil)
        case .configurationRefused: ("configuration_refused", "3ae04a304b004c8fa2c81c47ee1fa08c", .error, nil)
        case .configurationWarning: ("configuration_warning", "85ba7f29407b4f33b8f49d54d08faa0e", .warning, nil)
        case .reloadDone: ("reload_done", "f4e0d244d9d341089b37a644dea43a49", .notice, nil)
        case .reloadFailed: ("reload_failed", "0511c875e75f4751aa7f3cafebb571aa", .error, nil)

        // What a sweep did, and what stopped it
        case .sweep: ("sweep", "2d1b78e5ca934e2793fe7f37f671784a", .info, nil)
        case .writeFailed: ("write_failed", "740ce9d5ef1e4f4a8370023b38d18d7d", .warning, .most(1))
        case .fanOutFailed: ("fan_out_failed", "76325d76c1e24b61a8644ae84f33a15b", .warning, .most(3))
        case .intentsRecovered: ("intents_recovered", "5c02f2c273c14af8af0a50dfc096ba89", .warning, nil)
        case .leaseLost: ("lease_lost", "9f7027b2b9734ca1b8d20820d3f3f172", .warning, nil)
        case .rangesOwned: ("ranges_owned", "b0d5f6a3c1e94f0f8f6f1d6b3c6a2f71", .info, nil)
        case .daemonsDead: ("daemons_dead", "5a0f8f0b7a9c4f3f9d53b6f0e7b1c2d8", .warning, nil)
        case .kindsPaused: ("kinds_paused", "31ba89c668604745b366a717b497b405", .warning, nil)
        case .kindsResumed: ("kinds_resumed", "b1f48c1ed44f48009631b43a54a6f21e", .notice, nil)
        case .partitionsFailed: ("partitions_failed", "0f496831999d4b1cb0c684651af22900", .warning, .most(1, in: 3600))
        case .statusFailed: ("status_failed", "da04f726997a41929e2aa7c79cd27c5b", .warning, .most(1, in: 3600))
        case .decisionFallback: ("decision_fallback", "458aeadf3ed96f21a9f869fccc3c6658", .warning, .most(1))
        case .decisionBack: ("decision_back", "a5a760897535ae06d7d1a1ca8a773a8e", .notice, .most(1))

        // PostgreSQL, by changes of its state
        case .databaseLost: ("database_lost", "71dfae06d55d4ef6a427e5cf78b6cebf", .error, nil)
        case .databaseBusy: ("database_busy", "10f2aa4a3e6948868c9f0a7626e5529c", .warning, .most(1))
        case .databaseExhausted: ("database_exhausted", "9d3c57e1f08b4a6a8c2e61b4d7a05f39", .error, .most(1))
        case .databaseWaits: ("database_waits", "0dcdc606ef8b42db9c2e396bd2986bf6", .error, .most(1))
        case .databaseRefused: ("database_refused", "2d2d0a23b24a4af09abf01b86164c9c5", .error, nil)
        case .databaseBack: ("database_back", "24f940733d4a449687b1df314f5777be", .notice, nil)
        case .migrationsMissing: ("migrations_missing", "5802b8ea786c491cb958347c785acaec", .error, nil)
        case .schemaDiffers: ("schema_differs", "b1f3a7c25d0e4d7c9a64e2807f51c3d8", .notice, nil)

        // Apple, lane by lane: a lane is a key, an environment and a topic
        case .connectionOpened: ("connection_opened", "6f567db55a2a4a4d94b3f76bc629ca9d", .info, .most(5, in: 600))
        case .connectionLost: ("connection_lost", "287141fdbb9245c2b36d78582d74819a", .warning, .most(3, in: 600))
        case .goaway: ("goaway", "8fa46c934f2446d1918ad7f81f09cad4", .info, .most(5, in: 600))
        case .laneStopped: ("lane_stopped", "50f9e3caaa354133890de68e4ff669ab", .error, nil)
        case .laneResumed: ("lane_resumed", "4c0157fc769e4c14a73bc90321b8ff00", .notice, nil)
        case .laneSlowed: ("lane_slowed", "b114a3d4161d4b6e9fb8dd94ed42e8b4", .warning, nil)
        case .connectionResting: ("connection_resting", "ca32c9357b224679916c9195716bb727", .warning, nil)
        case .providerTokenMinted: ("provider_token_minted", "b9ab84c835514213a84570bdbcb20f7b", .debug, nil)
        case .ourBug: ("our_bug", "3c575221bf724bdea409d3d1bee33a52", .error, .most(5))

        // One user's push or device
        case .pushRejected: ("push_rejected", "e2bb418825c14884849d069fce98a6d0", .notice, .most(5))
        case .pushUnknown: ("push_unknown", "e7a210cf20554669858fad9182477a3a", .notice, .most(5))
        case .deviceQuarantined: ("device_quarantined", "b2f5ca98b7964e8983996959348d730a", .notice, .most(5))
        case .deviceMoved: ("device_moved", "5c1d9b0f7a6e4f0f9d0a3f5e8b27c416", .info, .most(5))
        case .invalidToken: ("invalid_token", "a85cc662bca845b6a4ed9e6e37a86b6a", .warning, .most(5))
        case .payloadTooLarge: ("payload_too_large", "3ad0d573a35448d195e8611b36d859cd", .error, .most(5))
        case .deviceNotServed: ("device_not_served", "af48d17df48c48f592df9600dff7d3e0", .notice, .most(5))

        // Rows and files that can't be used as they are: each harms its own user alone
        case .preferencesMalformed: ("preferences_malformed", "d403181ac22041b4a6e5d6b84568b615", .warning, .most(5))
        case .timezoneInvalid: ("timezone_invalid", "df6f090296e94e5092d1fc7b7243829d", .warning, .most(5))
        case .timezoneUnreadable: ("timezone_unreadable", "b10e9b06da9007e7d8e4b5a79565ee7c", .error, .most(1, in: 600))
        case .timezonesMissing: ("timezones_missing", "7453e2be6d264179acd543f468e12877", .error, nil)
        case .historyAhead: ("history_ahead", "ab40e38e37c440a3861ffa60a86d0e7f", .warning, .most(5))
        case .rowUnreadable: ("row_unreadable", "9e0c7a5b4d1f4c3e8f62a1b7d05c94e3", .error, .most(5))

        // Metrics and heartbeat
        case .metricsFailed: ("metrics_failed", "d1bc84a602f24bf295f2a5e9e9da6357", .warning, nil)
        case .metricsBack: ("metrics_back", "d46faafe67354667a87b9b0e2527926a", .notice, nil)
        case .heartbeatFailed: ("heartbeat_failed", "365a739e5f724dbcb70dbdb681318e07", .warning, .most(1))
        case .heartbeatBack: ("heartbeat_back", "04b9c67454034933ad29998d5b75be57", .notice, .most(1))
        }
    }
}

package enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case trace, debug, info, notice, warning, error, critical

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// syslog(3): 2 critical, 3 error, 4 warning, 5 notice, 6 info, 7 debug.
    var priority: Int { min(7, 8 - rank) }

    package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }
}
