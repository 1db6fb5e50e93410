extension ConfigurationKey {
    /// Every key, in the order of the reference.
    package static let all: [ConfigurationKey] =
        apns + database + schedule + record + checkIn + messages + decision + policy + metrics + heartbeat + log

    private static let apns: [ConfigurationKey] = [
        .init("apns.teamId", .identifier(10), need: .apns, "The developer team's id; it signs as the issuer."),
        .init("apns.keyId", .identifier(10), need: .apns, "The id of the signing key."),
        .init(
            "apns.privateKey",
            .pem,
            isSecret: true,
            "The signing key's text. Give this or apns.privateKeyFile, not both."
        ),
        .init("apns.privateKeyFile", .path, "The path of the signing key's .p8 file, not readable by everyone."),
        .init("apns.bundleId", .bundleID, need: .apns, "The app's bundle id, which is the pushes' topic."),
        .init(
            "apns.environment",
            .choice(["sandbox", "production"]),
            need: .apns,
            "Which of Apple's services: sandbox for builds from Xcode, production for TestFlight and the App Store."
        ),
        .init("apns.endpoint", .endpoint, "Another server in place of Apple's, for tests."),
        .init("apns.caFile", .path, "Certificates (PEM) to trust in place of the system's."),
        // One connection carries about 1,000 streams; more of them help only where the round trip is long.
        .init(
            "apns.connections",
            .integer(1...32, mayBeNone: false),
            standard: "1",
            "The most connections to the push service, for each app."
        ),
        // Also the most pushes whose outcome a crash can leave unknown. Intents are committed for free streams only, of which Apple gives a connection
        // 1,000: an intent takes at most a quarter of this.
        .init(
            "apns.maxInFlight",
            .integer(1...100_000, mayBeNone: false),
            standard: "2000",
            "The most pushes that await their answer, of all apps together."
        ),
        // Apple answers in tens of milliseconds; after 10 s nobody knows what became of a push.
        .init(
            "apns.responseTimeout",
            .duration(.seconds(1)...(.seconds(300))),
            standard: "10s",
            "How long an answer is awaited before a push is recorded as unknown."
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
        // A sweep's statements take milliseconds; one that takes 10 s waits for a lock or a dead host.
        .init(
            "database.statementTimeout",
            .duration(.milliseconds(100)...(.seconds(600))),
            standard: "10s",
            "How long one statement may take."
        ),
    ]

    private static let schedule: [ConfigurationKey] = [
        // An idle tick is one index probe, so a second costs nothing and is the lateness nobody notices.
        .init(
            "schedule.interval",
            .duration(.milliseconds(100)...(.seconds(3600))),
            standard: "1s",
            "How often a sweep begins."
        ),
        // Long enough for two deadlines of the push service, short enough that a crash delays users by half a minute only.
        .init(
            "schedule.lease",
            .duration(.seconds(3)...(.seconds(3600))),
            standard: "30s",
            "How long a daemon keeps its share of the users without a renewal; more than twice apns.responseTimeout."
        ),
        // Half of it being sent while the next is claimed; larger ones only lengthen the transactions.
        .init(
            "schedule.batch",
            .integer(1...10_000, mayBeNone: false),
            standard: "2000",
            "How many users are claimed at once."
        ),
    ]

    private static let record: [ConfigurationKey] = [
        // A quarter of a year answers what operators ask. What the policy needs is not in the record, so a day is enough for the work itself:
        // `nudged status` counts the last day's unknown pushes.
        .init(
            "record.keepDays",
            .integer(1...3650, mayBeNone: false),
            standard: "90",
            "How many days of the record are kept; older days are dropped whole."
        )
    ]

    private static let checkIn: [ConfigurationKey] = [
        // What counts is the payload's size in bytes, which is measured; these bounds only keep nonsense out.
        .init(
            "checkIn.title",
            .text(1...1000),
            standard: "Hello again",
            "The title of a check-in for which no template fits (docs/SQL.md); in a new database there are some that fit everyone."
        ),
        .init(
            "checkIn.body",
            .text(1...10_000),
            standard: "How are you today? I'm here whenever you feel like talking.",
            "The text of a check-in for which no template fits."
        ),
    ]

    private static let messages: [ConfigurationKey] = [
        .init(
            "messages.digestAfter",
            .integer(1...1000, mayBeNone: false),
            standard: "3",
            "More messages of one user than these that waited for the end of quiet hours go out as one push."
        ),
        .init("messages.digestTitle", .text(1...1000), standard: "New messages", "That push's title."),
        .init(
            "messages.digestBody",
            .text(1...10_000),
            standard: "{count} messages came while you were away.",
            "That push's text; {count} stands for how many they are."
        ),
    ]

    private static let decision: [ConfigurationKey] = [
        .init(
            "decision.url",
            .serviceURL,
            "The service that is asked of each nudge that the rules allow (docs/DECISION.md); without it none is. No secrets in it: it is shown."
        ),
        .init("decision.token", .text(1...8192), isSecret: true, "The bearer token that it is sent."),
        // Somebody waits for a message: longer than this an answer is worth less than the user's own fallback.
        .init(
            "decision.timeout",
            .duration(.milliseconds(50)...(.seconds(60))),
            standard: "2s",
            "How long its answer is awaited before the user's fallback_strategy decides."
        ),
        // At 50 ms an answer these are 160 users a second.
        .init(
            "decision.concurrency",
            .integer(1...64, mayBeNone: false),
            standard: "8",
            "How many users it is asked of at a time."
        ),
        .init("decision.caFile", .path, "Certificates (PEM) to trust for it in place of the system's."),
    ]

    // Defaults and ranges are those of docs/POLICY.md.
    private static let policy: [ConfigurationKey] = [
        .init("policy.defaultTimezone", .zone, standard: "none", "The zone of users who have none that is valid."),
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
            "Spreads the check-ins of users who chose no time over so many minutes."
        ),
        .init("policy.quietHours", .choice(["none"]), "Write none for no quiet hours; else give start and end."),
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
            "Spreads what waits for the end of quiet hours over so many minutes."
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
            "Where Prometheus finds the metrics: 127.0.0.1:9464 shows them at http://127.0.0.1:9464/metrics. Other machines can't reach it."
        ),
        .init(
            "metrics.file",
            .path,
            "A file that ends in .prom, written anew every ten seconds for node_exporter's textfile collector."
        ),
    ]

    private static let heartbeat: [ConfigurationKey] = [
        .init(
            "heartbeat.url",
            .serviceURL,
            isSecret: true,
            "An address that is called (GET) after a good sweep: a service that tells somebody when the calls stay away."
        ),
        // Such services count in minutes; a sweep a second would be 86,400 calls a day.
        .init(
            "heartbeat.interval",
            .duration(.seconds(1)...(.seconds(86_400))),
            standard: "1m",
            "It is called at most this often."
        ),
        .init("heartbeat.caFile", .path, "Certificates (PEM) to trust for it in place of the system's."),
    ]

    private static let log: [ConfigurationKey] = [
        .init(
            "log.level",
            .choice(["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            standard: "info",
            "The least severe lines that are logged."
        )
    ]

    /// The list of further apps. Only the file has it: an environment variable holds no list.
    static let appsName = "apns.apps"

    /// The most entries of that list: each has connections, and a stranger's file must not open thousands.
    static let mostApps = 32

    /// What an entry of the list may say, and else inherits. The other keys of `apns` hold for all apps together.
    static let ofApp: [ConfigurationKey] = apns.filter {
        $0.name != "apns.maxInFlight" && $0.name != "apns.responseTimeout"
    }

    static let byName: [String: ConfigurationKey] = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// `apns`, `policy.quietHours` and so on: names that stand for a mapping.
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
