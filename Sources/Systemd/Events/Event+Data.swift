extension Event {
    // MARK: Rows and files that can't be used as they are: each harms its own user alone.

    static let data = [
        preferencesMalformed, timezoneInvalid, timezoneUnreadable, timezonesMissing, historyAhead, rowUnreadable,
    ]

    /// Preferences can't be read.
    public static let preferencesMalformed = Event(
        "preferences_malformed",
        "d403181ac22041b4a6e5d6b84568b615",
        .warning,
        "Preferences can't be read",
        "Whoever has this value gets no check-ins until it is mended. Said once for each value.",
        mend: "nudged explain @NUDGED_USER_ID@ shows what is wrong; docs/POLICY.md has the form.",
        fields: ["user_id"],
        atMost: 5
    )

    /// A time zone is none.
    public static let timezoneInvalid = Event(
        "timezone_invalid",
        "df6f090296e94e5092d1fc7b7243829d",
        .warning,
        "A time zone is none",
        "User @NUDGED_USER_ID@ names a zone that the system doesn't know; the profile's or the default one is used. "
            + "Said once for each name.",
        mend: "Mend the name; where it is a new one, upgrade tzdata and reload.",
        fields: ["user_id"],
        atMost: 5
    )

    /// Time-zone files can't be read.
    public static let timezoneUnreadable = Event(
        "timezone_unreadable",
        "b10e9b06da9007e7d8e4b5a79565ee7c",
        .error,
        "Time-zone files can't be read",
        "Users whose zones could not be read wait as they are and are asked again each minute.",
        mend: "Do what the line says, and reload.",
        fields: ["users", "unread", "errno"],
        atMost: 1,
        in: 600
    )

    /// There are no time-zone files.
    public static let timezonesMissing = Event(
        "timezones_missing",
        "7453e2be6d264179acd543f468e12877",
        .error,
        "There are no time-zone files",
        "Nobody has a local time, so nobody is sent anything.",
        mend: "Install tzdata (apt-get install tzdata) or mend TZDIR, and reload."
    )

    /// A history lies in the future.
    public static let historyAhead = Event(
        "history_ahead",
        "ab40e38e37c440a3861ffa60a86d0e7f",
        .warning,
        "A history lies in the future",
        "Sends more than 48 h ahead of the clock are ignored.",
        mend: "Did a host run with a wrong clock? Then nothing more: it mends itself with the days.",
        fields: ["user_id"],
        atMost: 5
    )

    /// A row of nudged's own can't be read.
    public static let rowUnreadable = Event(
        "row_unreadable",
        "9e0c7a5b4d1f4c3e8f62a1b7d05c94e3",
        .error,
        "The data of one user can't be read or written",
        "The database refuses @NUDGED_COLUMN@ of user @NUDGED_USER_ID@. The user is evaluated again in a day, or when something of theirs changes. "
            + "Everybody else is served.",
        mend:
            "Look at that column of the user's row, and correct or delete the value. For a row of nudged.person: delete it, and the next change of the user's "
            + "data makes a new one.",
        fields: ["user_id", "column"],
        atMost: 5
    )
}
