extension Event {
    // MARK: PostgreSQL, by changes of its state.

    static let database = [
        databaseLost, databaseBusy, databaseExhausted, databaseWaits, databaseRefused, databaseBack, migrationsMissing,
        schemaNewer,
    ]

    /// PostgreSQL can't be reached.
    public static let databaseLost = Event(
        "database_lost",
        "71dfae06d55d4ef6a427e5cf78b6cebf",
        .error,
        "PostgreSQL can't be reached",
        "The connection broke or could not be made. Nothing is decided or sent meanwhile; pushes whose answer came "
            + "are recorded once it is back, or as unknown where their lease has ended.",
        mend: "Start PostgreSQL, or mend the network to it. The daemon tries again by itself, every few seconds.",
        fields: ["sqlstate"]
    )

    /// PostgreSQL gave a statement up.
    public static let databaseBusy = Event(
        "database_busy",
        "10f2aa4a3e6948868c9f0a7626e5529c",
        .warning,
        "PostgreSQL gave a statement up",
        "It is there, and a lock, a time-out or a deadlock was in the way. It is tried again.",
        mend: "Where it lasts: select * from pg_stat_activity shows who waits for whom.",
        fields: ["sqlstate"],
        atMost: 1
    )

    /// PostgreSQL has run out of something.
    public static let databaseExhausted = Event(
        "database_exhausted",
        "9d3c57e1f08b4a6a8c2e61b4d7a05f39",
        .error,
        "PostgreSQL has run out of something",
        "Its disk is full, its memory is used up, or all its connections are taken. What the daemon could not write it tries again.",
        mend: "Free disk or memory on the database's host, or raise max_connections (or put a pooler before it).",
        fields: ["sqlstate"],
        atMost: 1
    )

    /// PostgreSQL's commits get no answer.
    public static let databaseWaits = Event(
        "database_waits",
        "0dcdc606ef8b42db9c2e396bd2986bf6",
        .error,
        "PostgreSQL's commits get no answer",
        "They wait for a synchronous standby that is away. Nothing is sent meanwhile, since an intent must be durable first; each of the daemon's connections "
            + "leaves one session that waits in the server, and asks for the others' end before it commits again.",
        mend:
            "Start the standby, or take it off synchronous_standby_names and reload PostgreSQL. The daemon goes on by itself within seconds.",
        fields: ["sqlstate"],
        atMost: 1
    )

    /// PostgreSQL refuses the credentials or a right.
    public static let databaseRefused = Event(
        "database_refused",
        "2d2d0a23b24a4af09abf01b86164c9c5",
        .error,
        "PostgreSQL refuses the credentials or a right",
        "The daemon reaches the database and may not work in it.",
        mend: "Mend password or role: write the credential database.url anew and restart the service, or grant what is "
            + "missing (nudged migrate as the owner does).",
        fields: ["sqlstate"]
    )

    /// PostgreSQL answers again.
    public static let databaseBack = Event(
        "database_back",
        "24f940733d4a449687b1df314f5777be",
        .notice,
        "PostgreSQL answers again",
        "Work goes on where it was.",
        fields: ["away_ms"]
    )

    /// The schema is not this version's.
    public static let migrationsMissing = Event(
        "migrations_missing",
        "5802b8ea786c491cb958347c785acaec",
        .error,
        "The schema is not this version's",
        "The daemon waits until it is.",
        mend: "Run nudged migrate as the role that owns the app's tables, or what the line says."
    )

    /// A newer nudged has migrated the database.
    public static let schemaNewer = Event(
        "schema_newer",
        "b1f3a7c25d0e4d7c9a64e2807f51c3d8",
        .notice,
        "A newer nudged has migrated the database",
        "This version works with the schema.",
        mend: "Upgrade it here when it suits."
    )
}
