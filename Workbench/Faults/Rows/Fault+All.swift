extension Fault {
    /// All faults, in the order of the table.
    public static let all: [Fault] = [
        .failPoints,
        .randomKills,
        .systemCallKills,
        .systemCallErrors,
        .databaseRestarts,
        .databaseAway,
        .lostBackends,
        .hungServer,
        .databaseRefusals,
        .fullDisk,
        .intentWidth,
        .severalDaemons,
        .comingAndGoing,
        .membershipKills,
        .wrongDeaths,
        .lateDaemon,
        .rollingUpgrade,
        .partition,
        .termination,
        .badReload,
        .clockSteps,
        .summerTime,
        .suspension,
        .zoneFiles,
        .lostLogs,
        .scarcity,
        .badRows,
        .changingPreferences,
        .messagesUnderFire,
        .restoredBackup,
        .erasedUsers,
        .synchronousPromotion,
        .asynchronousPromotion,
    ]

    /// The fault with this name.
    public static func named(_ name: String) -> Fault? { all.first { $0.name == name } }
}
