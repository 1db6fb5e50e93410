extension Event {
    // MARK: PostgreSQL, by changes of its state.

    static let database = [
        databaseLost, databaseBusy, databaseExhausted, databaseWaits, databaseRefused, databaseBack, migrationsMissing,
        schemaNewer,
    ]

    /// There is no connection to PostgreSQL.
    public static let databaseLost = Event(
        "database_lost",
        "71dfae06d55d4ef6a427e5cf78b6cebf",
        .error,
        "PostgreSQL can't be reached",
        "The connection broke or could not be made. Meanwhile nothing is decided or sent. Outcomes of pushes are "
            + "recorded when PostgreSQL is back. If the lease has ended by then, they are recorded as unknown.",
        remedy: "Start PostgreSQL, or fix the network to it. If connecting times out and the unit limits addresses, "
            + "write them again (nudged config --addresses). nudged tries again every few seconds.",
        fields: ["sqlstate"]
    )

    /// PostgreSQL ended a statement because of a lock, a time-out or a deadlock.
    public static let databaseBusy = Event(
        "database_busy",
        "10f2aa4a3e6948868c9f0a7626e5529c",
        .warning,
        "PostgreSQL ended a statement",
        "PostgreSQL answers, but a lock, a time-out or a deadlock stopped the statement. nudged tries it again.",
        remedy: "If it lasts, select * from pg_stat_activity shows which sessions wait, and for what.",
        fields: ["sqlstate"],
        atMost: 1
    )

    /// PostgreSQL has no disk space, memory or connections left.
    public static let databaseExhausted = Event(
        "database_exhausted",
        "9d3c57e1f08b4a6a8c2e61b4d7a05f39",
        .error,
        "PostgreSQL has no disk space, memory or connections left",
        "The disk is full, the memory is used up, or all connections are taken. nudged tries again what it could not "
            + "write.",
        remedy: "Free disk space or memory on the database's host. Or raise max_connections, or use a pooler.",
        fields: ["sqlstate"],
        atMost: 1
    )

    /// PostgreSQL does not answer commits.
    public static let databaseWaits = Event(
        "database_waits",
        "0dcdc606ef8b42db9c2e396bd2986bf6",
        .error,
        "PostgreSQL's commits get no answer",
        "Commits wait for a synchronous standby that is away. Nothing is sent meanwhile, because an intent must be "
            + "durable first. Each of the daemon's connections leaves at most one waiting session in the server. "
            + "Before a connection commits again, it checks that no session of its role still waits.",
        remedy:
            "Start the standby. Or remove it from synchronous_standby_names and reload PostgreSQL. nudged continues "
            + "by itself within seconds.",
        fields: ["sqlstate"],
        atMost: 1
    )

    /// PostgreSQL refuses the credentials or a permission.
    public static let databaseRefused = Event(
        "database_refused",
        "2d2d0a23b24a4af09abf01b86164c9c5",
        .error,
        "PostgreSQL refuses the credentials or a right",
        "nudged reaches the database, but may not work in it.",
        remedy:
            "If the password or role is wrong, write the credential database.url again and restart the service. If a "
            + "right is missing, run select nudged.grant_roles() as the owner of schema nudged.",
        fields: ["sqlstate"]
    )

    /// PostgreSQL answers again.
    public static let databaseBack = Event(
        "database_back",
        "24f940733d4a449687b1df314f5777be",
        .notice,
        "PostgreSQL answers again",
        "Work continues where it stopped.",
        fields: ["away_ms"]
    )

    /// The database schema is not the one that this version needs.
    public static let migrationsMissing = Event(
        "migrations_missing",
        "5802b8ea786c491cb958347c785acaec",
        .error,
        "The schema does not fit this version",
        "nudged waits until it does.",
        remedy: "Do what the line says. Usually: run nudged migrate as the role that owns the app's tables."
    )

    /// A newer version of nudged has migrated the database.
    public static let schemaNewer = Event(
        "schema_newer",
        "b1f3a7c25d0e4d7c9a64e2807f51c3d8",
        .notice,
        "A newer nudged has migrated the database",
        "This version can work with the newer schema.",
        remedy: "Upgrade nudged here when convenient."
    )
}
