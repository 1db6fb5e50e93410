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
        "The daemon is up and its timer is armed. It waits for PostgreSQL and Apple by itself; lines of their own "
            + "say where one of them is missing.",
        fields: ["version", "interval_ms"]
    )

    /// nudged stops.
    public static let daemonStopping = Event(
        "daemon_stopping",
        "263c89e4f0d348bb88cfe53eea46c7f9",
        .info,
        "nudged stops",
        "It was asked to stop. Nothing new is claimed; the pushes that are on the wire are awaited and recorded, "
            + "and more time for that is asked of systemd while they resolve.",
        fields: ["in_flight"]
    )

    /// nudged has stopped.
    public static let daemonStopped = Event(
        "daemon_stopped",
        "38768e2cbc574aa6828022c7aaa3b97f",
        .info,
        "nudged has stopped",
        "What was in flight is recorded, and this daemon's ranges are free for the next one."
    )

    /// The configuration can't be used.
    public static let configurationRefused = Event(
        "configuration_refused",
        "3ae04a304b004c8fa2c81c47ee1fa08c",
        .error,
        "The configuration can't be used",
        "The daemon was not started, or not reloaded: a value is wrong or missing. The line has file, line, column "
            + "and key.",
        mend: "Mend what the line names; nudged check-config says all faults at once, without a network."
    )

    /// Something in the configuration is probably a mistake.
    public static let configurationWarning = Event(
        "configuration_warning",
        "85ba7f29407b4f33b8f49d54d08faa0e",
        .warning,
        "Something in the configuration is probably a mistake",
        "The daemon works, but a value is unused, out of date, or takes a restart to count.",
        mend: "Do what the line says; nudged config --show prints what is in force, and why."
    )

    /// The new configuration is in force.
    public static let reloadDone = Event(
        "reload_done",
        "f4e0d244d9d341089b37a644dea43a49",
        .notice,
        "The new configuration is in force",
        "Configuration and time zones were read anew. A changed credential or database URL counts after a restart."
    )

    /// The new configuration is bad, the old one stays.
    public static let reloadFailed = Event(
        "reload_failed",
        "0511c875e75f4751aa7f3cafebb571aa",
        .error,
        "The new configuration is bad, the old one stays",
        "A reload was asked for, and the new file can't be used. Nothing has changed.",
        mend: "Mend what the line names, then systemctl reload nudged."
    )
}
