extension Event {
    // MARK: One user's push or device. Devices are called by a keyed hash, never by their tokens.

    static let pushes = [
        pushRejected, pushUnknown, deviceQuarantined, deviceMoved, invalidToken, payloadTooLarge, deviceNotServed,
    ]

    /// Apple refused a push.
    public static let pushRejected = Event(
        "push_rejected",
        "e2bb418825c14884849d069fce98a6d0",
        .notice,
        "Apple refused a push",
        "A push to user @NUDGED_USER_ID@ was refused for good: @NUDGED_REASON@. The record has it, like every refused "
            + "push.",
        remedy:
            "For Unregistered and ExpiredToken: nothing. nudged deletes the token, unless the device has registered "
            + "since then, its row is locked, or the app's table refuses the deletion. For other reasons: nudged "
            + "explain @NUDGED_USER_ID@.",
        fields: ["user_id", "device", "reason", "status"],
        atMost: 5
    )

    /// A push got no answer.
    public static let pushUnknown = Event(
        "push_unknown",
        "e7a210cf20554669858fad9182477a3a",
        .notice,
        "A push was not answered",
        "A push to user @NUDGED_USER_ID@ was written, but no answer came (@NUDGED_REASON@). A check-in is not sent "
            + "again. A message or a reminder is sent once more.",
        fields: ["user_id", "kind", "device", "reason"],
        atMost: 5
    )

    /// A device gets nothing until it registers again.
    public static let deviceQuarantined = Event(
        "device_quarantined",
        "b2f5ca98b7964e8983996959348d730a",
        .notice,
        "A device gets nothing until it registers again",
        "Apple refuses a device of user @NUDGED_USER_ID@ for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@): @NUDGED_REASON@. "
            + "Its token stays.",
        remedy:
            "If they are few, do nothing. If they are many, check that the app's builds fit the tokens' environment "
            + "and topic. select * from nudged.quarantined shows them all.",
        fields: ["user_id", "device", "reason", "topic", "environment"],
        atMost: 5
    )

    /// A device works in the other environment.
    public static let deviceMoved = Event(
        "device_moved",
        "5c1d9b0f7a6e4f0f9d0a3f5e8b27c416",
        .info,
        "A device works in the other environment",
        "Production refused a device of user @NUDGED_USER_ID@ for @NUDGED_TOPIC@ and the sandbox accepts it, or the "
            + "other way round. Its pushes go to @NUDGED_ENVIRONMENT@ from now on.",
        remedy:
            "If they are many, let the app register its tokens with the right environment: NudgedKit reads it from the "
            + "app's entitlements.",
        fields: ["user_id", "device", "topic", "environment"],
        atMost: 5
    )

    /// A stored device token is invalid.
    public static let invalidToken = Event(
        "invalid_token",
        "a85cc662bca845b6a4ed9e6e37a86b6a",
        .warning,
        "A device token is not valid",
        "The token of a device of user @NUDGED_USER_ID@ is not an even number of hexadecimal digits, 2 to 200. The "
            + "device is skipped.",
        remedy: "Store the token that iOS gives the app, as hexadecimal digits.",
        fields: ["user_id", "device", "reason", "status"],
        atMost: 5
    )

    /// A payload is over Apple's limit.
    public static let payloadTooLarge = Event(
        "payload_too_large",
        "3ad0d573a35448d195e8611b36d859cd",
        .error,
        "A payload is over Apple's limit",
        "A push may have 4,096 bytes. This one was not sent.",
        remedy: "Shorten checkIn.title and checkIn.body, or the text that the app gives nudged_api.send.",
        fields: ["user_id", "device", "reason", "status"],
        atMost: 5
    )

    /// No app in the configuration serves a device.
    public static let deviceNotServed = Event(
        "device_not_served",
        "af48d17df48c48f592df9600dff7d3e0",
        .notice,
        "The configuration has no app for a device",
        "No app in the configuration has the token's environment and topic. The device gets nothing. Logged once for "
            + "each environment and topic.",
        remedy: "Add the app under apns.apps, or correct the token's row.",
        fields: ["user_id"],
        atMost: 5
    )
}
