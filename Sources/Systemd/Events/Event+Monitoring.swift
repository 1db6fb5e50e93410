extension Event {
    // MARK: Metrics and heartbeat.

    static let monitoring = [metricsFailed, metricsBack, heartbeatFailed, heartbeatBack]

    /// The metrics can't be served or written.
    public static let metricsFailed = Event(
        "metrics_failed",
        "d1bc84a602f24bf295f2a5e9e9da6357",
        .warning,
        "The metrics can't be served or written",
        "nudged can't use @NUDGED_PLACE@, which metrics.listen or metrics.file names. It tries again every ten "
            + "seconds. Nudges are still sent.",
        remedy: "Do what the line says: use another port, or one that the unit allows (metrics-listen.conf in "
            + "/usr/share/doc/nudged/examples), or a folder that the service may write to (metrics-file.conf).",
        fields: ["place"]
    )

    /// The metrics are available again.
    public static let metricsBack = Event(
        "metrics_back",
        "d46faafe67354667a87b9b0e2527926a",
        .notice,
        "The metrics are available again",
        "nudged can use @NUDGED_PLACE@ again.",
        fields: ["place"]
    )

    /// The heartbeat's address can't be called.
    public static let heartbeatFailed = Event(
        "heartbeat_failed",
        "365a739e5f724dbcb70dbdb681318e07",
        .warning,
        "The heartbeat's calls fail",
        "Sweeps are good, but calls to heartbeat.url fail (@NUDGED_REASON@). The service behind it may report that "
            + "nudged is dead. Nudges are still sent.",
        remedy: "Check that service, heartbeat.url, and which addresses the unit may reach: "
            + "nudged config --addresses prints them.",
        fields: ["reason"],
        atMost: 1
    )

    /// The heartbeat's address answers again.
    public static let heartbeatBack = Event(
        "heartbeat_back",
        "04b9c67454034933ad29998d5b75be57",
        .notice,
        "The heartbeat's calls succeed again",
        "The service behind heartbeat.url hears of good sweeps again.",
        atMost: 1
    )
}
