extension Event {
    // MARK: Rows and files that can't be used as they are: each harms its own user alone.

    static let data = [
        preferencesMalformed, timezoneInvalid, timezoneUnreadable, timezonesMissing, historyAhead, rowUnreadable,
    ]

    /// A user's preferences can't be read.
    public static let preferencesMalformed = Event(
        "preferences_malformed",
        "d403181ac22041b4a6e5d6b84568b615",
        .warning,
        "Preferences can't be read",
        "Users with this value get no check-ins until it is corrected. Logged once for each value.",
        remedy: "Run nudged explain @NUDGED_USER_ID@: it shows what is wrong. docs/POLICY.md describes the format.",
        fields: ["user_id"],
        atMost: 5
    )

    /// The name of a time zone is invalid.
    public static let timezoneInvalid = Event(
        "timezone_invalid",
        "df6f090296e94e5092d1fc7b7243829d",
        .warning,
        "A time zone is unknown",
        "User @NUDGED_USER_ID@ has a time zone that the system doesn't know. nudged uses the profile's time zone or "
            + "the default one. A reminder that names such a zone waits. Logged once for each name.",
        remedy: "Correct the name. If it is a new one, upgrade tzdata and reload nudged.",
        fields: ["user_id"],
        atMost: 5
    )

    /// Files of time zones can't be read.
    public static let timezoneUnreadable = Event(
        "timezone_unreadable",
        "b10e9b06da9007e7d8e4b5a79565ee7c",
        .error,
        "Time-zone files can't be read",
        "Users whose time zone can't be read get nothing for now. They are evaluated again every minute.",
        remedy: "Do what the line says, then reload nudged.",
        fields: ["users", "unread", "errno"],
        atMost: 1,
        in: 600
    )

    /// There are no files of time zones.
    public static let timezonesMissing = Event(
        "timezones_missing",
        "7453e2be6d264179acd543f468e12877",
        .error,
        "There are no time-zone files",
        "No user has a local time, so nothing is sent.",
        remedy: "Install tzdata (apt-get install tzdata) or correct TZDIR, then reload nudged."
    )

    /// A user's history lies in the future.
    public static let historyAhead = Event(
        "history_ahead",
        "ab40e38e37c440a3861ffa60a86d0e7f",
        .warning,
        "A user's history is in the future",
        "Sends more than 48 h ahead of the clock are ignored.",
        remedy:
            "Check whether a host ran with a wrong clock. The history needs no fix: it is right again when the clock "
            + "has passed these sends.",
        fields: ["user_id"],
        atMost: 5
    )

    /// The data of one user can't be read or written.
    public static let rowUnreadable = Event(
        "row_unreadable",
        "9e0c7a5b4d1f4c3e8f62a1b7d05c94e3",
        .error,
        "The data of one user can't be read or written",
        "The database refuses @NUDGED_COLUMN@ of user @NUDGED_USER_ID@. The line has the SQLSTATE. The user is "
            + "evaluated again in a day, or when something of theirs changes. If the error may pass, such as a time-out "
            + "or a missing right, nudged tries again within ten minutes. All other users are served.",
        remedy:
            "Look at that column of the user's row. Correct or delete the value. If it comes back, and the row is in "
            + "nudged.person, delete the row: the next change of the user's data makes a new one.",
        fields: ["user_id", "column"],
        atMost: 5
    )
}
