extension Event {
    // MARK: Start, stop, configuration.

    static let service = [
        daemonReady, daemonStopping, daemonStopped, configurationRefused, configurationWarning, reloadDone,
        reloadFailed,
    ]

    /// nudged is ready.
    public static let daemonReady = Event(
        "daemon_ready",
        "7a275739019a4c55969dde574c07f700",
        .info,
        "nudged is ready",
        "The daemon runs, and its timer is armed. It waits for PostgreSQL and Apple by itself. If one of them is "
            + "missing, another line says so.",
        fields: ["version", "interval_ms"]
    )

    /// nudged stops.
    public static let daemonStopping = Event(
        "daemon_stopping",
        "263c89e4f0d348bb88cfe53eea46c7f9",
        .info,
        "nudged stops",
        "nudged was told to stop. It claims nothing new. It waits for the pushes in flight and records them. Meanwhile "
            + "it asks systemd for more time.",
        fields: ["in_flight"]
    )

    /// nudged has stopped.
    public static let daemonStopped = Event(
        "daemon_stopped",
        "38768e2cbc574aa6828022c7aaa3b97f",
        .info,
        "nudged has stopped",
        "Nothing is on the wire any more. If PostgreSQL answered, all outcomes are recorded, and this daemon's ranges "
            + "are free."
    )

    /// The configuration can't be used.
    public static let configurationRefused = Event(
        "configuration_refused",
        "3ae04a304b004c8fa2c81c47ee1fa08c",
        .error,
        "The configuration can't be used",
        "A value is wrong or missing, so the daemon was not started or not reloaded. The line has file, line, column "
            + "and key.",
        remedy: "Correct what the line names. nudged check-config shows all faults at once, and needs no network."
    )

    /// A value in the configuration is probably a mistake.
    public static let configurationWarning = Event(
        "configuration_warning",
        "85ba7f29407b4f33b8f49d54d08faa0e",
        .warning,
        "Something in the configuration is probably a mistake",
        "The daemon works, but a value is unused, out of date, or counts only after a restart.",
        remedy: "Do what the line says. nudged config --show prints the values in force, and where each one comes from."
    )

    /// A reload succeeded.
    public static let reloadDone = Event(
        "reload_done",
        "f4e0d244d9d341089b37a644dea43a49",
        .notice,
        "The new configuration is in force",
        "nudged has read configuration and time zones again. A changed credential or database URL counts after a "
            + "restart."
    )

    /// A reload failed, and the old configuration stays in force.
    public static let reloadFailed = Event(
        "reload_failed",
        "0511c875e75f4751aa7f3cafebb571aa",
        .error,
        "The new configuration can't be used, the old one stays",
        "nudged was told to reload, but the new configuration can't be used. Nothing has changed.",
        remedy: "Correct what the line names, then run systemctl reload nudged."
    )
}
