extension Event {
    // MARK: Apple, lane by lane: a lane is a key, an environment and a topic.

    static let lanes = [
        connectionOpened, connectionLost, goaway, laneStopped, laneResumed, laneSlowed, connectionResting,
        providerTokenMinted, ourBug,
    ]

    /// A connection is open.
    public static let connectionOpened = Event(
        "connection_opened",
        "6f567db55a2a4a4d94b3f76bc629ca9d",
        .info,
        "A connection is open",
        "nudged is connected to @NUDGED_SERVER@ for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@). If the line says that this "
            + "is not Apple's server, apns.endpoint is set. That key is for tests.",
        fields: ["topic", "environment", "connection", "streams", "server"],
        atMost: 5,
        in: 600
    )

    /// A connection ended.
    public static let connectionLost = Event(
        "connection_lost",
        "287141fdbb9245c2b36d78582d74819a",
        .warning,
        "A connection ended",
        "A connection for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) broke or could not be made. Pushes that were written "
            + "but not answered are unknown. The others go over the next connection, which nudged opens by itself.",
        remedy: "Usually nothing. If it lasts, check DNS, firewall and proxy (port 443 or 2197 to api.push.apple.com), "
            + "and the addresses that the unit may reach (nudged config --addresses).",
        fields: ["topic", "environment", "connection"],
        atMost: 3,
        in: 600
    )

    /// The server closes a connection with GOAWAY.
    public static let goaway = Event(
        "goaway",
        "8fa46c934f2446d1918ad7f81f09cad4",
        .info,
        "The server closes a connection in good order",
        "Apple does this now and then. nudged opens another connection.",
        fields: ["topic", "environment", "connection", "reason"],
        atMost: 5,
        in: 600
    )

    /// Sending is stopped for a lane.
    public static let laneStopped = Event(
        "lane_stopped",
        "50f9e3caaa354133890de68e4ff669ab",
        .error,
        "Sending is stopped",
        "No push for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) can be sent: @NUDGED_REASON@. Nudges wait until they are "
            + "too late. Each minute nudged tries one push.",
        remedy: "Correct the key, key id, team id, topic or environment, as the line says. nudged config --show prints "
            + "the values in force. A changed key counts after systemctl restart nudged.",
        fields: ["topic", "environment", "reason"]
    )

    /// A stopped lane sends again.
    public static let laneResumed = Event(
        "lane_resumed",
        "4c0157fc769e4c14a73bc90321b8ff00",
        .notice,
        "Sending resumes",
        "Apple accepts pushes for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) again.",
        fields: ["topic", "environment"]
    )

    /// Apple answers pushes with errors of its own.
    public static let laneSlowed = Event(
        "lane_slowed",
        "b114a3d4161d4b6e9fb8dd94ed42e8b4",
        .warning,
        "Apple answers with errors of its own",
        "Apple answered @NUDGED_COUNT@ pushes for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) with an error of its own. The "
            + "last was @NUDGED_STATUS@ @NUDGED_REASON@. nudged tries them again later, and sends more slowly.",
        remedy: "Nothing. If it lasts, see Apple's system status page.",
        fields: ["topic", "environment", "count", "status", "reason"]
    )

    /// A connection sends nothing for 20 minutes.
    public static let connectionResting = Event(
        "connection_resting",
        "ca32c9357b224679916c9195716bb727",
        .warning,
        "A connection sends nothing for 20 minutes",
        "Apple answered TooManyProviderTokenUpdates for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@).",
        remedy: "If it repeats, check whether another program signs tokens with the same key, or the clock jumps.",
        fields: ["topic", "environment"]
    )

    /// A provider token was signed.
    public static let providerTokenMinted = Event(
        "provider_token_minted",
        "b9ab84c835514213a84570bdbcb20f7b",
        .debug,
        "A provider token was signed",
        "A token is used for less than an hour.",
        fields: ["topic", "environment", "key_id", "issued_at"]
    )

    /// Apple gave an answer that only a bug in nudged can cause.
    public static let ourBug = Event(
        "our_bug",
        "3c575221bf724bdea409d3d1bee33a52",
        .error,
        "Apple refused a push because of a bug in nudged",
        "The answer was @NUDGED_STATUS@ @NUDGED_REASON@.",
        remedy: "Please report it, with this entry.",
        fields: ["topic", "environment", "status", "reason"],
        atMost: 5
    )
}
