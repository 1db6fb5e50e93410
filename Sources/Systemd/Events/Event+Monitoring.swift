extension Event {
    // MARK: Metrics and heartbeat.

    static let monitoring = [metricsFailed, metricsBack, heartbeatFailed, heartbeatBack]

    /// The metrics are not shown.
    public static let metricsFailed = Event(
        "metrics_failed",
        "d1bc84a602f24bf295f2a5e9e9da6357",
        .warning,
        "The metrics are not shown",
        "@NUDGED_PLACE@, which metrics.listen or metrics.file names, can't be used. Nudges are sent all the same, and it is tried again every ten seconds.",
        mend:
            "Do what the line says: another port, or a folder that the service may write to (/usr/share/doc/nudged/examples/metrics-file.conf).",
        fields: ["place"]
    )

    /// The metrics are shown.
    public static let metricsBack = Event(
        "metrics_back",
        "d46faafe67354667a87b9b0e2527926a",
        .notice,
        "The metrics are shown again",
        "@NUDGED_PLACE@ can be used now.",
        fields: ["place"]
    )

    /// The heartbeat's address is called in vain.
    public static let heartbeatFailed = Event(
        "heartbeat_failed",
        "365a739e5f724dbcb70dbdb681318e07",
        .warning,
        "The heartbeat's address is called in vain",
        "Sweeps are good, and the service behind heartbeat.url doesn't hear of it (@NUDGED_REASON@): it may tell somebody that nudged is dead. Nudges are sent all the same.",
        mend:
            "Look at that service, at heartbeat.url, and at what the machine may reach (/usr/share/doc/nudged/examples/addresses.conf).",
        fields: ["reason"],
        atMost: 1
    )

    /// The heartbeat's address answers again.
    public static let heartbeatBack = Event(
        "heartbeat_back",
        "04b9c67454034933ad29998d5b75be57",
        .notice,
        "The heartbeat's address answers again",
        "The service behind heartbeat.url hears of good sweeps again.",
        atMost: 1
    )
}
