extension ConfigurationKey {
    /// Every section with its keys, in the order of the reference. `apns` is the first.
    static let sections = [
        Section("apns", "Apple's push service: who signs, and for which app.", apns),
        Section("database", "The app's PostgreSQL, in which nudged keeps its own schema.", database),
        Section("schedule", "How often sweeps begin, and how many users a daemon claims at once.", schedule),
        Section(
            "checkIn",
            "The text of a check-in if no template fits. In a new database no template is active (docs/SQL.md).",
            checkIn
        ),
        Section("messages", "Messages of one user that waited for the end of quiet hours.", messages),
        Section(
            "decision",
            "A service of yours that nudged asks before each nudge (docs/DECISION.md). Without a URL it asks none.",
            decision
        ),
        Section(
            "policy",
            "The rules if a user's preferences say nothing else (docs/POLICY.md). `nudged replan` applies them at once.",
            policy
        ),
        Section("metrics", "Metrics for Prometheus (docs/METRICS.md). They are off by default.", metrics),
        Section(
            "heartbeat",
            "A dead man's switch (docs/METRICS.md): nudged calls an address after good sweeps.",
            heartbeat
        ),
        Section("log", "What nudged writes to the journal.", log),
    ]

    private static let apns: [ConfigurationKey] = [
        .init("teamId", .identifier(10, \.lane.teamID), need: .apns)
            .means("The developer team's id."),
        .init("keyId", .identifier(10, \.lane.keyID), need: .apns)
            .means("The id of the signing key."),
        .init("privateKey", .pem(\.lane.privateKey), isSecret: true)
            .means("The signing key's text. Give this or apns.privateKeyFile, not both."),
        .init("privateKeyFile", .path(\.keyFile))
            .means("The signing key's .p8 file (not readable by everyone)."),
        .init("bundleId", .bundleID(\.lane.bundleID), need: .apns)
            .means("The app's bundle id: the topic of its pushes."),
        .init("environment", .choice(\.lane.environment), need: .apns)
            .means("Apple's service: sandbox for builds from Xcode, production for TestFlight and the App Store."),
        .init("endpoint", .endpoint(\.lane.endpoint))
            .means("Another server instead of Apple's, for tests."),
        .init("caFile", .path(\.lane.caFile))
            .means("Certificates (PEM) to trust instead of the system's."),
        // One connection carries about 1,000 streams. More connections help only if the round trip is long.
        .init("connections", .integer(1...32, \.lane.connections), default: "1")
            .means("The most connections to the push service, for each app."),
        // Also the most pushes whose outcome a crash can leave unknown. An intent takes at most a quarter of it.
        // Intents are committed only for free streams, and Apple gives a connection about 1,000.
        .init("maxInFlight", .integer(1...100_000, \.apns.maxInFlight), default: "2000")
            .means("The most pushes in flight, for all apps together."),
        // Apple answers within tens of milliseconds. After 10 s the outcome of a push is unknown.
        .init("responseTimeout", .duration(.seconds(1)...(.seconds(300)), \.apns.responseTimeout), default: "10s")
            .means("How long nudged waits for Apple's answer before it records a push as unknown."),
    ]

    private static let database: [ConfigurationKey] = [
        .init("url", .databaseURL(\.database.url), isSecret: true, need: .database)
            .means("Where PostgreSQL is, as a libpq URI."),
        .init("allowInsecure", .boolean(\.database.allowInsecure), default: "false")
            .means("Allows a database on another host without sslmode=verify-full."),
        // A sweep's statements take milliseconds. One that takes 10 s waits for a lock or for a dead host.
        .init(
            "statementTimeout",
            .duration(.milliseconds(100)...(.seconds(600)), \.database.statementTimeout),
            default: "10s"
        )
        .means("How long one statement may take."),
    ]

    private static let schedule: [ConfigurationKey] = [
        // A sweep with nothing due takes a few milliseconds, so one a second is cheap. A delay of a second is not
        // noticed.
        .init("interval", .duration(.milliseconds(100)...(.seconds(3600)), \.schedule.interval), default: "1s")
            .means("How often a sweep begins."),
        // Longer than two response time-outs, but short: after a crash, users wait for the end of the lease.
        .init("lease", .duration(.seconds(3)...(.seconds(3600)), \.schedule.lease), default: "30s")
            .means(
                "How long a daemon keeps its users without a renewal. It must be more than twice apns.responseTimeout."
            ),
        // A lane gets the next batch when it holds less than half of one. Larger batches only lengthen the
        // transactions.
        .init("batch", .integer(1...10_000, \.schedule.batch), default: "2000")
            .means("How many users are claimed at once."),
    ]

    private static let checkIn: [ConfigurationKey] = [
        // The real limit is the payload's size in bytes, which is measured. These bounds only exclude absurd values.
        .init("title", .text(1...1000, \.checkIn.title), default: "Hello again")
            .means("A check-in's title."),
        .init(
            "body",
            .text(1...10_000, \.checkIn.body),
            default: "How are you today? I'm here whenever you feel like talking."
        )
        .means("A check-in's body."),
    ]

    private static let messages: [ConfigurationKey] = [
        .init("digestAfter", .integer(1...1000, \.messages.digestAfter), default: "3")
            .means("If more messages than this waited for the end of a user's quiet hours, they are sent as one push."),
        .init("digestTitle", .text(1...1000, \.messages.digestTitle), default: "New messages")
            .means("The title of that push."),
        .init(
            "digestBody",
            .text(1...10_000, \.messages.digestBody),
            default: "{count} messages came while you were away."
        )
        .means("The text of that push. {count} is the number of messages."),
    ]

    private static let decision: [ConfigurationKey] = [
        .init("url", .serviceURL(\.decision.url))
            .means("The service's address. It must hold no secret: nudged prints it."),
        .init("token", .text(1...8192, \.decision.token), isSecret: true)
            .means("The bearer token for the service."),
        // A user waits for the message. After 2 s the fallback is better than a late answer.
        .init("timeout", .duration(.milliseconds(50)...(.seconds(60)), \.decision.timeout), default: "2s")
            .means("How long nudged waits for its answer before the user's fallback_strategy decides."),
        // With 50 ms an answer, 8 at once are 160 users a second.
        .init("concurrency", .integer(1...64, \.decision.concurrency), default: "8")
            .means("How many users it is asked about at the same time."),
        .init("caFile", .path(\.decision.caFile))
            .means("Certificates (PEM) to trust instead of the system's."),
    ]

    // Defaults and ranges are those of docs/POLICY-SPEC.md.
    private static let policy: [ConfigurationKey] = [
        .init("defaultTimezone", .zone(\.policy.defaultTimezone), default: "none")
            .means("The zone of users who have no valid zone."),
        .init("checkInTime", .wallTime(\.policy.checkInTime), default: "10:00")
            .means("The local time of check-ins for users who chose none."),
        .init("spreadMinutes", .integer(0...1440, \.policy.spreadMinutes), default: "0")
            .means("The jitter, in minutes, of check-ins of users who chose no time."),
        .init("quietHours", .quietHours)
            .means("Write none for no quiet hours, or else give start and end."),
        .init("quietHours.start", .wallTime(\.quietStart), default: "22:00")
            .means("When quiet hours begin for users who set none."),
        .init("quietHours.end", .wallTime(\.quietEnd), default: "08:00")
            .means("When quiet hours end for users who set none."),
        .init("quietEndJitterMinutes", .integer(0...240, \.policy.quietEndJitterMinutes), default: "0")
            .means("The jitter, in minutes, of nudges that waited for the end of quiet hours."),
        .init("maxStalenessMinutes", .integer(1...2880, \.policy.maxStalenessMinutes), default: "240")
            .means("How late a check-in may still be sent."),
        .init("maxPerHour", .integerOrNone(from: 1, \.policy.maxPerHour), default: "none")
            .means("The most nudges a user gets in an hour."),
        .init("maxPerDay", .integerOrNone(from: 1, \.policy.maxPerDay), default: "none")
            .means("The most nudges a user gets in a day."),
    ]

    private static let metrics: [ConfigurationKey] = [
        .init("listen", .loopback(\.metrics.listen))
            .means("The address for Prometheus, on this machine only."),
        .init("file", .path(\.metrics.file))
            .means("A file that ends in .prom, for node_exporter's textfile collector."),
    ]

    private static let heartbeat: [ConfigurationKey] = [
        .init("url", .serviceURL(\.heartbeat.url), isSecret: true)
            .means("The address that nudged calls (GET)."),
        // Such services count in minutes. One call for each sweep would be 86,400 a day.
        .init("interval", .duration(.seconds(1)...(.seconds(86400)), \.heartbeat.interval), default: "1m")
            .means("The least time between two calls."),
        .init("caFile", .path(\.heartbeat.caFile))
            .means("Certificates (PEM) to trust instead of the system's."),
    ]

    private static let log: [ConfigurationKey] = [
        .init("level", .choice(\.logLevel), default: "info")
            .means("The least severe lines that are logged.")
    ]
}
