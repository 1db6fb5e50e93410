extension Event {
    // MARK: Apple, lane by lane: a lane is a key, an environment and a topic.

    static let lanes = [
        connectionOpened, connectionLost, goaway, laneStopped, laneResumed, laneSlowed, connectionResting,
        providerTokenMinted, ourBug,
    ]

    /// Connected to Apple.
    public static let connectionOpened = Event(
        "connection_opened",
        "6f567db55a2a4a4d94b3f76bc629ca9d",
        .info,
        "Connected to Apple",
        "A connection for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) stands.",
        fields: ["topic", "environment", "connection", "streams"],
        atMost: 5,
        in: 600
    )

    /// A connection to Apple ended.
    public static let connectionLost = Event(
        "connection_lost",
        "287141fdbb9245c2b36d78582d74819a",
        .warning,
        "A connection to Apple ended",
        "A connection for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) broke or could not be made. What was written and "
            + "not answered is unknown; the rest goes out on the next one, which is tried by itself.",
        mend:
            "Nothing, unless it lasts: then look at DNS, firewall and proxy (port 443 or 2197 to api.push.apple.com).",
        fields: ["topic", "environment", "connection"],
        atMost: 3,
        in: 600
    )

    /// Apple closes a connection in good order.
    public static let goaway = Event(
        "goaway",
        "8fa46c934f2446d1918ad7f81f09cad4",
        .info,
        "Apple closes a connection in good order",
        "Apple does so now and then; another one is opened.",
        fields: ["topic", "environment", "connection", "reason"],
        atMost: 5,
        in: 600
    )

    /// Sending is stopped.
    public static let laneStopped = Event(
        "lane_stopped",
        "50f9e3caaa354133890de68e4ff669ab",
        .error,
        "Sending is stopped",
        "Apple refuses everything for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@): @NUDGED_REASON@. What is due waits "
            + "until its time has passed; one push a minute asks whether it is mended.",
        mend:
            "Mend key, key id, team id, topic or environment, as the line says; nudged config --show prints what is in "
            + "force. A changed key counts after systemctl restart nudged.",
        fields: ["topic", "environment", "reason"]
    )

    /// Sending resumes.
    public static let laneResumed = Event(
        "lane_resumed",
        "4c0157fc769e4c14a73bc90321b8ff00",
        .notice,
        "Sending resumes",
        "Apple takes pushes for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) again.",
        fields: ["topic", "environment"]
    )

    /// Apple is in trouble.
    public static let laneSlowed = Event(
        "lane_slowed",
        "b114a3d4161d4b6e9fb8dd94ed42e8b4",
        .warning,
        "Apple is in trouble",
        "Apple answered @NUDGED_COUNT@ pushes for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@) with an error of its own; "
            + "the last was @NUDGED_STATUS@ @NUDGED_REASON@. They are tried again later, more slowly.",
        mend: "Nothing; where it lasts, Apple's system status page.",
        fields: ["topic", "environment", "count", "status", "reason"]
    )

    /// A connection rests for 20 minutes.
    public static let connectionResting = Event(
        "connection_resting",
        "ca32c9357b224679916c9195716bb727",
        .warning,
        "A connection rests for 20 minutes",
        "Apple answered TooManyProviderTokenUpdates for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@).",
        mend: "Where it repeats: does another program sign tokens with the same key, or does the clock jump?",
        fields: ["topic", "environment"]
    )

    /// A provider token was signed.
    public static let providerTokenMinted = Event(
        "provider_token_minted",
        "b9ab84c835514213a84570bdbcb20f7b",
        .debug,
        "A provider token was signed",
        "One serves for up to an hour.",
        fields: ["topic", "environment", "key_id", "issued_at"]
    )

    /// Apple refused what only a bug sends.
    public static let ourBug = Event(
        "our_bug",
        "3c575221bf724bdea409d3d1bee33a52",
        .error,
        "Apple refused what only a bug sends",
        "The answer was @NUDGED_STATUS@ @NUDGED_REASON@.",
        mend: "Please report it, with this entry.",
        fields: ["topic", "environment", "status", "reason"],
        atMost: 5
    )
}
