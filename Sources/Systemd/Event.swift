/// What the journal tells, by name: the value of `NUDGED_EVENT`, each with its fixed `MESSAGE_ID`.
///
/// The ids are random once and then for ever: operators' queries and the catalog build on them.
public enum Event: String, CaseIterable, Sendable {
    /// The timer is armed; systemd was told READY.
    case daemonReady = "daemon_ready"
    /// A signal asked for the end; nothing new is claimed.
    case daemonStopping = "daemon_stopping"
    /// The last push has resolved; the process ends.
    case daemonStopped = "daemon_stopped"
    /// A sweep that sent, failed or recorded something.
    case sweep
    /// A sweep ended early; what it left is due again.
    case sweepFailed = "sweep_failed"
    /// The connection to PostgreSQL broke or could not be made.
    case databaseLost = "database_lost"
    /// PostgreSQL is there and gave a statement up: a lock, a time-out of its own, a deadlock.
    case databaseBusy = "database_busy"
    /// PostgreSQL has run out of something: disk, memory, connections.
    case databaseExhausted = "database_exhausted"
    /// PostgreSQL answers again.
    case databaseBack = "database_back"
    /// PostgreSQL refused the credentials or the rights.
    case databaseRefused = "database_refused"
    /// The schema is older than the binary: `nudged migrate`.
    case migrationsMissing = "migrations_missing"
    /// A newer nudged has migrated the database; this one works with it.
    case schemaNewer = "schema_newer"
    /// A lane sends nothing until its configuration is mended.
    case laneStopped = "lane_stopped"
    /// A stopped lane's probe was accepted.
    case laneResumed = "lane_resumed"
    /// A connection or lane backs off for a while.
    case laneResting = "lane_resting"
    /// A connection to the push service stands.
    case connectionOpened = "connection_opened"
    /// A connection to the push service broke.
    case connectionLost = "connection_lost"
    /// The push service closes a connection, with its reason.
    case goaway
    /// A new provider token was signed.
    case providerTokenMinted = "provider_token_minted"
    /// A push was refused for good.
    case pushRejected = "push_rejected"
    /// A push was written and never answered.
    case pushUnknown = "push_unknown"
    /// A device that Apple refuses gets nothing until it registers anew.
    case deviceQuarantined = "device_quarantined"
    /// A device token is not hexadecimal; its device is skipped.
    case invalidToken = "invalid_token"
    /// A payload is over the limit and was not sent.
    case payloadTooLarge = "payload_too_large"
    /// The push service refused what only a bug of ours produces.
    case ourBug = "our_bug"
    /// A row of nudged.person that can't be read; its user is left alone for a day.
    case rowUnreadable = "row_unreadable"
    /// Preferences that policy can't read; once per value.
    case preferencesMalformed = "preferences_malformed"
    /// A zone name that the system doesn't know; once per value.
    case timezoneInvalid = "timezone_invalid"
    /// A zone's file could not be read; its users wait.
    case timezoneUnreadable = "timezone_unreadable"
    /// Sends more than 48 h ahead of the clock are ignored.
    case historyAhead = "history_ahead"
    /// A lease ended before its sweep; another daemon may go on.
    case leaseLost = "lease_lost"
    /// An operator holds kinds of nudges (`nudged pause`).
    case kindsPaused = "kinds_paused"
    /// An operator lets them be sent again (`nudged resume`).
    case kindsResumed = "kinds_resumed"
    /// Open intents of a dead lease were recorded as unknown.
    case intentsRecovered = "intents_recovered"
    /// A new configuration is in force.
    case reloadDone = "reload_done"
    /// The new configuration is bad; the old one stays in force.
    case reloadFailed = "reload_failed"
    /// Something in the configuration is probably a mistake.
    case configurationWarning = "configuration_warning"

    /// The event's id for `journalctl MESSAGE_ID=…`: 32 lower-case hexadecimal digits.
    public var messageID: String {
        switch self {
        case .daemonReady: "7a275739019a4c55969dde574c07f700"
        case .daemonStopping: "263c89e4f0d348bb88cfe53eea46c7f9"
        case .daemonStopped: "38768e2cbc574aa6828022c7aaa3b97f"
        case .sweep: "2d1b78e5ca934e2793fe7f37f671784a"
        case .sweepFailed: "56cbd4561cf04e70ade5549a291303ef"
        case .databaseLost: "71dfae06d55d4ef6a427e5cf78b6cebf"
        case .databaseBusy: "10f2aa4a3e6948868c9f0a7626e5529c"
        case .databaseExhausted: "9d3c57e1f08b4a6a8c2e61b4d7a05f39"
        case .databaseBack: "24f940733d4a449687b1df314f5777be"
        case .databaseRefused: "2d2d0a23b24a4af09abf01b86164c9c5"
        case .migrationsMissing: "5802b8ea786c491cb958347c785acaec"
        case .schemaNewer: "b1f3a7c25d0e4d7c9a64e2807f51c3d8"
        case .laneStopped: "50f9e3caaa354133890de68e4ff669ab"
        case .laneResumed: "4c0157fc769e4c14a73bc90321b8ff00"
        case .laneResting: "4ab95e44282442d4811183628be49c9c"
        case .connectionOpened: "6f567db55a2a4a4d94b3f76bc629ca9d"
        case .connectionLost: "287141fdbb9245c2b36d78582d74819a"
        case .goaway: "8fa46c934f2446d1918ad7f81f09cad4"
        case .providerTokenMinted: "b9ab84c835514213a84570bdbcb20f7b"
        case .pushRejected: "e2bb418825c14884849d069fce98a6d0"
        case .pushUnknown: "e7a210cf20554669858fad9182477a3a"
        case .deviceQuarantined: "b2f5ca98b7964e8983996959348d730a"
        case .invalidToken: "a85cc662bca845b6a4ed9e6e37a86b6a"
        case .payloadTooLarge: "3ad0d573a35448d195e8611b36d859cd"
        case .ourBug: "3c575221bf724bdea409d3d1bee33a52"
        case .rowUnreadable: "9e0c7a5b4d1f4c3e8f62a1b7d05c94e3"
        case .preferencesMalformed: "d403181ac22041b4a6e5d6b84568b615"
        case .timezoneInvalid: "df6f090296e94e5092d1fc7b7243829d"
        case .timezoneUnreadable: "b10e9b06da9007e7d8e4b5a79565ee7c"
        case .historyAhead: "ab40e38e37c440a3861ffa60a86d0e7f"
        case .leaseLost: "9f7027b2b9734ca1b8d20820d3f3f172"
        case .kindsPaused: "31ba89c668604745b366a717b497b405"
        case .kindsResumed: "b1f48c1ed44f48009631b43a54a6f21e"
        case .intentsRecovered: "5c02f2c273c14af8af0a50dfc096ba89"
        case .reloadDone: "f4e0d244d9d341089b37a644dea43a49"
        case .reloadFailed: "0511c875e75f4751aa7f3cafebb571aa"
        case .configurationWarning: "85ba7f29407b4f33b8f49d54d08faa0e"
        }
    }
}
