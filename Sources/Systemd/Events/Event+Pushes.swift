extension Event {
    // MARK: One user's push or device. Devices are called by a keyed hash, never by their tokens.

    static let pushes = [
        pushRejected, pushUnknown, deviceQuarantined, invalidToken, payloadTooLarge, deviceNotServed,
    ]

    /// Apple refused a push.
    public static let pushRejected = Event(
        "push_rejected",
        "e2bb418825c14884849d069fce98a6d0",
        .notice,
        "Apple refused a push",
        "A push to user @NUDGED_USER_ID@ was refused for good: @NUDGED_REASON@. It is in the record, as are all of "
            + "them.",
        mend: "Nothing, for Unregistered: the token is deleted. For others nudged explain @NUDGED_USER_ID@.",
        fields: ["user_id", "device", "reason", "status"],
        atMost: 5
    )

    /// A push was not answered.
    public static let pushUnknown = Event(
        "push_unknown",
        "e7a210cf20554669858fad9182477a3a",
        .notice,
        "A push was not answered",
        "A push to user @NUDGED_USER_ID@ was written and not answered (@NUDGED_REASON@). A check-in is not sent "
            + "again, a message or a reminder once.",
        fields: ["user_id", "kind", "device", "reason"],
        atMost: 5
    )

    /// A device gets nothing until it registers anew.
    public static let deviceQuarantined = Event(
        "device_quarantined",
        "b2f5ca98b7964e8983996959348d730a",
        .notice,
        "A device gets nothing until it registers anew",
        "Apple refuses a device of user @NUDGED_USER_ID@ for @NUDGED_TOPIC@ (@NUDGED_ENVIRONMENT@): "
            + "@NUDGED_REASON@. Its token stays.",
        mend:
            "Nothing for a few. Where they are many: do the app's builds and the tokens' environment and topic belong "
            + "together? select * from nudged.quarantined has them all.",
        fields: ["user_id", "device", "reason", "topic", "environment"],
        atMost: 5
    )

    /// A device token is no token.
    public static let invalidToken = Event(
        "invalid_token",
        "a85cc662bca845b6a4ed9e6e37a86b6a",
        .warning,
        "A device token is no token",
        "What is stored for a device of user @NUDGED_USER_ID@ is not hexadecimal; it is skipped.",
        mend: "Store the token that iOS hands to the app as hexadecimal digits.",
        fields: ["user_id", "device", "reason", "status"],
        atMost: 5
    )

    /// A payload is over Apple's limit.
    public static let payloadTooLarge = Event(
        "payload_too_large",
        "3ad0d573a35448d195e8611b36d859cd",
        .error,
        "A payload is over Apple's limit",
        "A push may have 4,096 bytes. It was not sent.",
        mend: "Shorten checkIn.title and checkIn.body, or what the app gives nudged.send.",
        fields: ["user_id", "device", "reason", "status"],
        atMost: 5
    )

    /// A device belongs to an app that nobody serves.
    public static let deviceNotServed = Event(
        "device_not_served",
        "af48d17df48c48f592df9600dff7d3e0",
        .notice,
        "A device belongs to an app that nobody serves",
        "A token's environment and topic are those of no app in the configuration; the device is left alone. Said "
            + "once for each environment and topic.",
        mend: "Add the app under apns.apps, or mend the token's row.",
        fields: ["user_id"],
        atMost: 5
    )
}
