extension ConfigurationKey {
    static let sections: [(name: String, summary: String)] = [
        ("apns", "Apple's push service: who signs, and for which app."),
        ("database", "The app's PostgreSQL, in which nudged keeps its own schema."),
        ("schedule", "How often sweeps begin."),
        ("messages", "Messages of one user that waited for the end of quiet hours."),
        (
            "decision",
            "A service of yours that nudged asks before each nudge (docs/DECISION.md). Without a URL it asks none."
        ),
        (
            "policy",
            "The rules if a user's preferences say nothing else (docs/POLICY.md). `nudged replan` applies them at once."
        ),
        ("metrics", "Metrics for Prometheus (docs/METRICS.md). They are off by default."),
        ("heartbeat", "A dead man's switch (docs/METRICS.md): nudged calls an address after good sweeps."),
        ("log", "What nudged writes to the journal."),
    ]

    package static let listed: [ConfigurationKey] = [
        .init("apns.teamId", .identifier(10, \.lane.teamID), need: .apns).means("The developer team's id."),
        .init("apns.keyId", .identifier(10, \.lane.keyID), need: .apns).means("The id of the signing key."),
        .init("apns.privateKeyFile", .path(\.keyFile))
            .means(
                "The signing key's .p8 file (not readable by everyone). Not needed if the secret apns.privateKey is given."
            ),
        .init("apns.bundleId", .bundleID(\.lane.bundleID), need: .apns)
            .means("The app's bundle id: the topic of its pushes."),
        .init("apns.environment", .choice(\.environment))
            .means(
                "Only this one of Apple's services: sandbox for builds from Xcode, production for TestFlight and the App "
                    + "Store. Not set: both. A device's row decides; nudged tries a device without one in both."
            ),
        .init("database.url", .databaseURL(\.database.url), isSecret: true, need: .database)
            .means("Where PostgreSQL is, as a libpq URI."),
        .init("database.allowInsecure", .boolean(\.database.allowInsecure), default: "false")
            .means("Allows a database on another host without sslmode=verify-full."),
        // A sweep with nothing due takes a few milliseconds, so one a second is cheap. Nobody notices a second.
        .init("schedule.interval", .duration(.milliseconds(100)...(.seconds(3600)), \.schedule.interval), default: "1s")
            .means("How often a sweep begins."),
        .init("messages.digestAfter", .integer(1...1000, \.messages.digestAfter), default: "3")
            .means("If more messages than this waited for the end of a user's quiet hours, they are sent as one push."),
        // The real limit is the payload's size in bytes, which is measured.
        .init("messages.digestTitle", .text(1...1000, \.messages.digestTitle), default: "New messages")
            .means("The title of that push."),
        .init(
            "messages.digestBody",
            .text(1...10_000, \.messages.digestBody),
            default: "{count} messages came while you were away."
        )
        .means("The text of that push. {count} is the number of messages."),
        .init("decision.url", .serviceURL(\.decision.url))
            .means("The service's address. It must hold no secret: nudged prints it."),
        .init("decision.token", .text(1...8192, \.decision.token), isSecret: true)
            .means("The bearer token for the service."),
        // A user waits for the message. After 2 s the fallback is better than a late answer.
        .init("decision.timeout", .duration(.milliseconds(50)...(.seconds(60)), \.decision.timeout), default: "2s")
            .means("How long nudged waits for its answer, at most 10s, before the user's fallback_strategy decides."),
        // Ranges: docs/POLICY-SPEC.md. A little jitter: users who chose no time don't get their check-in in one second.
        .init("policy.defaultTimezone", .zone(\.policy.defaultTimezone), default: "none")
            .means("The zone of users who have no valid zone."),
        .init("policy.checkInTime", .wallTime(\.policy.checkInTime), default: "10:00")
            .means("The local time of check-ins for users who chose none."),
        .init("policy.spreadMinutes", .integer(0...1440, \.policy.spreadMinutes), default: "15")
            .means("The jitter, in minutes, of check-ins of users who chose no time."),
        .init("policy.quietHours", .quietHours(\.policy.quietHours), default: "22:00-08:00")
            .means("The quiet hours of users who set none."),
        .init("policy.quietEndJitterMinutes", .integer(0...240, \.policy.quietEndJitterMinutes), default: "10")
            .means("The jitter, in minutes, of nudges that waited for the end of quiet hours."),
        .init("policy.maxStalenessMinutes", .integer(1...2880, \.policy.maxStalenessMinutes), default: "240")
            .means("How late a check-in may still be sent."),
        .init("policy.maxPerHour", .integerOrNone(1...Int.max, \.policy.maxPerHour), default: "none")
            .means("The most nudges a user gets in an hour."),
        .init("policy.maxPerDay", .integerOrNone(1...Int.max, \.policy.maxPerDay), default: "none")
            .means("The most nudges a user gets in a day."),
        .init("policy.skipIfActiveMinutes", .integerOrNone(1...1440, \.policy.skipIfActiveMinutes), default: "none")
            .means("A user whom the app saw in the last so many minutes gets no check-in."),
        .init("policy.backOffAfter", .integerOrNone(2...50, \.policy.backOffAfter), default: "none")
            .means("After so many ignored check-ins they come less often, and at last no more."),
        .init("policy.holdoutPercent", .integerOrNone(1...50, \.policy.holdoutPercent), default: "none")
            .means("So many users in a hundred get no check-ins, to be compared with the others."),
        .init("metrics.listen", .listen(\.metrics.listen)).means("The address for Prometheus."),
        .init("metrics.token", .token(20...500, \.metrics.token), isSecret: true)
            .means(
                "The bearer token that Prometheus sends. Needed if other machines can reach the address. `open`: no token "
                    + "is needed."
            ),
        .init("heartbeat.url", .serviceURL(\.heartbeat.url), isSecret: true)
            .means("The address that nudged calls (GET)."),
        .init("log.level", .choice(\.logLevel), default: "info").means("The least severe lines that are logged."),
    ]

    /// Users need only the credential. The reference does not list them, and `config` only if they are given.
    static let internals: [ConfigurationKey] = [
        // Only as a credential or a variable: the file names the key's file.
        .init("apns.privateKey", .pem(\.lane.privateKey), isSecret: true),
        // Another server instead of Apple's, and the certificates (PEM) to trust instead of the system's.
        .init("apns.endpoint", .endpoint(\.lane.endpoint)),
        .init("apns.caFile", .path(\.lane.caFile)),
        // The most pushes in flight, for all apps: a crash can leave these unknown. An intent has at most a quarter.
        .init("apns.maxInFlight", .integer(1...100_000, \.apns.maxInFlight), default: "2000"),
        // Apple answers within tens of milliseconds. After 10 s the outcome of a push is unknown.
        .init("apns.responseTimeout", .duration(.seconds(1)...(.seconds(300)), \.apns.responseTimeout), default: "10s"),
        // A sweep's statements take milliseconds. One that takes 10 s waits for a lock or for a dead host.
        .init(
            "database.statementTimeout",
            .duration(.milliseconds(100)...(.seconds(600)), \.database.statementTimeout),
            default: "10s"
        ),
        // Longer than two response time-outs, but short: after a crash, users wait for its end.
        .init("schedule.lease", .duration(.seconds(3)...(.seconds(3600)), \.schedule.lease), default: "30s"),
        // The next batch is claimed when a lane holds no more than one batch. Larger ones only lengthen transactions.
        .init("schedule.batch", .integer(1...10_000, \.schedule.batch), default: "1000"),
        // With 50 ms an answer, 8 at once are 160 users a second.
        .init("decision.concurrency", .integer(1...64, \.decision.concurrency), default: "8"),
        .init("decision.caFile", .path(\.decision.caFile)),
        // Such services count in minutes. One call for each sweep would be 86,400 a day.
        .init("heartbeat.interval", .duration(.seconds(1)...(.seconds(86400)), \.heartbeat.interval), default: "1m"),
        .init("heartbeat.caFile", .path(\.heartbeat.caFile)),
    ]
}
