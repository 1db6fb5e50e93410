extension ConfigurationKey {
    /// Every key, in the order of the reference.
    package static let all: [ConfigurationKey] =
        apns + database + schedule + checkIn + messages + decision + policy + metrics + heartbeat + log

    private static let apns: [ConfigurationKey] = [
        .init("apns.teamId", .identifier(10), need: .apns, "The developer team's id: the issuer of provider tokens."),
        .init("apns.keyId", .identifier(10), need: .apns, "The id of the signing key."),
        .init(
            "apns.privateKey",
            .pem,
            isSecret: true,
            "The signing key's text. Give this or apns.privateKeyFile, not both."
        ),
        .init("apns.privateKeyFile", .path, "The path of the signing key's .p8 file (not readable by everyone)."),
        .init("apns.bundleId", .bundleID, need: .apns, "The app's bundle id: the topic of its pushes."),
        .init(
            "apns.environment",
            .choice(["sandbox", "production"]),
            need: .apns,
            "Apple's service: sandbox for builds from Xcode, production for TestFlight and the App Store."
        ),
        .init(
            "apns.endpoint",
            .endpoint,
            "Another server instead of Apple's, for tests. The journal, nudged status and nudged doctor name it."
        ),
        .init("apns.caFile", .path, "Certificates (PEM) to trust instead of the system's."),
        // One connection carries about 1,000 streams. More connections help only if the round trip is long.
        .init(
            "apns.connections",
            .integer(1...32, mayBeNone: false),
            standard: "1",
            "The most connections to the push service, for each app."
        ),
        // Also the most pushes whose outcome a crash can leave unknown. An intent takes at most a quarter of it.
        // Intents are committed only for free streams, and Apple gives a connection about 1,000.
        .init(
            "apns.maxInFlight",
            .integer(1...100_000, mayBeNone: false),
            standard: "2000",
            "The most pushes in flight, for all apps together."
        ),
        // Apple answers within tens of milliseconds. After 10 s the outcome of a push is unknown.
        .init(
            "apns.responseTimeout",
            .duration(.seconds(1)...(.seconds(300))),
            standard: "10s",
            "How long nudged waits for Apple's answer before it records a push as unknown."
        ),
    ]

    private static let database: [ConfigurationKey] = [
        .init("database.url", .databaseURL, isSecret: true, need: .database, "Where PostgreSQL is, as a libpq URI."),
        .init(
            "database.allowInsecure",
            .boolean,
            standard: "false",
            "Allows a database on another host without sslmode=verify-full."
        ),
        // A sweep's statements take milliseconds. One that takes 10 s waits for a lock or for a dead host.
        .init(
            "database.statementTimeout",
            .duration(.milliseconds(100)...(.seconds(600))),
            standard: "10s",
            "How long one statement may take."
        ),
    ]

    private static let schedule: [ConfigurationKey] = [
        // A sweep with nothing due takes a few milliseconds, so one a second is cheap. A delay of a second is not
        // noticed.
        .init(
            "schedule.interval",
            .duration(.milliseconds(100)...(.seconds(3600))),
            standard: "1s",
            "How often a sweep begins."
        ),
        // Longer than two response time-outs, but short: after a crash, users wait for the end of the lease.
        .init(
            "schedule.lease",
            .duration(.seconds(3)...(.seconds(3600))),
            standard: "30s",
            "How long a daemon keeps its users without a renewal. It must be more than twice apns.responseTimeout."
        ),
        // A lane gets the next batch when it holds less than half of one. Larger batches only lengthen the
        // transactions.
        .init(
            "schedule.batch",
            .integer(1...10_000, mayBeNone: false),
            standard: "2000",
            "How many users are claimed at once."
        ),
    ]

    private static let checkIn: [ConfigurationKey] = [
        // The real limit is the payload's size in bytes, which is measured. These bounds only exclude absurd values.
        .init(
            "checkIn.title",
            .text(1...1000),
            standard: "Hello again",
            "The title of a check-in if no template fits (docs/SQL.md)."
        ),
        .init(
            "checkIn.body",
            .text(1...10_000),
            standard: "How are you today? I'm here whenever you feel like talking.",
            "The text of a check-in if no template fits."
        ),
    ]

    private static let messages: [ConfigurationKey] = [
        .init(
            "messages.digestAfter",
            .integer(1...1000, mayBeNone: false),
            standard: "3",
            "If more messages than this waited for the end of a user's quiet hours, they are sent as one push."
        ),
        .init("messages.digestTitle", .text(1...1000), standard: "New messages", "The title of that push."),
        .init(
            "messages.digestBody",
            .text(1...10_000),
            standard: "{count} messages came while you were away.",
            "The text of that push. {count} is the number of messages."
        ),
    ]

    private static let decision: [ConfigurationKey] = [
        .init(
            "decision.url",
            .serviceURL,
            "The service that decides about each nudge that the rules allow. It must hold no secret: nudged prints it."
        ),
        .init("decision.token", .text(1...8192), isSecret: true, "The bearer token for the service."),
        // A user waits for the message. After 2 s the fallback is better than a late answer.
        .init(
            "decision.timeout",
            .duration(.milliseconds(50)...(.seconds(60))),
            standard: "2s",
            "How long nudged waits for its answer before the user's fallback_strategy decides."
        ),
        // With 50 ms an answer, 8 at once are 160 users a second.
        .init(
            "decision.concurrency",
            .integer(1...64, mayBeNone: false),
            standard: "8",
            "How many users it is asked about at the same time."
        ),
        .init("decision.caFile", .path, "Certificates (PEM) to trust for the service instead of the system's."),
    ]

    // Defaults and ranges are those of docs/POLICY.md.
    private static let policy: [ConfigurationKey] = [
        .init("policy.defaultTimezone", .zone, standard: "none", "The zone of users who have no valid zone."),
        .init(
            "policy.checkInTime",
            .wallTime,
            standard: "10:00",
            "The local time of check-ins for users who chose none."
        ),
        .init(
            "policy.spreadMinutes",
            .integer(0...1440, mayBeNone: false),
            standard: "0",
            "The jitter, in minutes, of check-ins of users who chose no time."
        ),
        .init(quietHoursName, .choice(["none"]), "Write none for no quiet hours, or else give start and end."),
        .init(
            "policy.quietHours.start",
            .wallTime,
            standard: "22:00",
            "When quiet hours begin for users who set none."
        ),
        .init("policy.quietHours.end", .wallTime, standard: "08:00", "When quiet hours end for users who set none."),
        .init(
            "policy.quietEndJitterMinutes",
            .integer(0...240, mayBeNone: false),
            standard: "0",
            "The jitter, in minutes, of nudges that waited for the end of quiet hours."
        ),
        .init(
            "policy.maxStalenessMinutes",
            .integer(1...2880, mayBeNone: false),
            standard: "240",
            "How late a check-in may still be sent."
        ),
        .init(
            "policy.maxPerHour",
            .integer(1...Int.max, mayBeNone: true),
            standard: "none",
            "The most nudges a user gets in an hour."
        ),
        .init(
            "policy.maxPerDay",
            .integer(1...Int.max, mayBeNone: true),
            standard: "none",
            "The most nudges a user gets in a day."
        ),
    ]

    private static let metrics: [ConfigurationKey] = [
        .init(
            "metrics.listen",
            .loopback,
            "The address for Prometheus, on this machine only: 127.0.0.1:9464 gives http://127.0.0.1:9464/metrics."
        ),
        .init(
            "metrics.file",
            .path,
            "A file that ends in .prom, for node_exporter's textfile collector. It is written every ten seconds."
        ),
    ]

    private static let heartbeat: [ConfigurationKey] = [
        .init(
            "heartbeat.url",
            .serviceURL,
            isSecret: true,
            "An address that nudged calls (GET) after good sweeps. The service there reports when no call comes."
        ),
        // Such services count in minutes. One call for each sweep would be 86,400 a day.
        .init(
            "heartbeat.interval",
            .duration(.seconds(1)...(.seconds(86_400))),
            standard: "1m",
            "The least time between two calls."
        ),
        .init("heartbeat.caFile", .path, "Certificates (PEM) to trust for that service instead of the system's."),
    ]

    private static let log: [ConfigurationKey] = [
        .init(
            "log.level",
            .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info",
            "The least severe lines that are logged."
        )
    ]

    /// Both a key and a section.
    static let quietHoursName = "policy.quietHours"

    /// The list of further apps. Only the file can have it: an environment variable holds no list.
    static let appsName = "apns.apps"

    /// The most entries of `apns.apps`. Each entry opens connections, so the number must be bounded.
    static let mostApps = 32

    /// The keys that an entry of `apns.apps` may give; the others it inherits. `apns.maxInFlight` and
    /// `apns.responseTimeout` apply to all apps together.
    static let ofApp: [ConfigurationKey] = apns.filter {
        $0.name != "apns.maxInFlight" && $0.name != "apns.responseTimeout"
    }

    static let byName: [String: ConfigurationKey] = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The names of mappings: `apns`, `policy.quietHours` and so on.
    static let sections: [String] = {
        var found: [String] = []
        for key in all {
            let parts = key.name.split(separator: ".")
            for depth in 1..<parts.count {
                let section = parts[..<depth].joined(separator: ".")
                if !found.contains(section) { found.append(section) }
            }
        }
        return found
    }()
}
