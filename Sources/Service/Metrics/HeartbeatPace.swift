/// Decides when to call the heartbeat's address and what to report. Instants are milliseconds of CLOCK_BOOTTIME.
struct HeartbeatPace: Sendable {
    /// What is reported to the operator.
    enum News: Sendable, Equatable {
        case failed(String)
        case answered
    }

    /// The least milliseconds from one call to the next.
    let interval: Int64
    private var lastBegun: Int64?
    private var isCalling = false
    private var isFailing = false

    init(interval: Int64) {
        self.interval = interval
    }

    /// A sweep was good. Returns whether to call now. End each call that was begun.
    mutating func begin(now: Int64) -> Bool {
        if isCalling { return false }
        if let lastBegun, now - lastBegun < interval { return false }
        lastBegun = now
        isCalling = true
        return true
    }

    /// Ends a call. nil: there is nothing new to report.
    ///
    /// - Parameter fault: why it failed. nil: it was answered.
    mutating func end(fault: String?) -> News? {
        isCalling = false
        let wasFailing = isFailing
        isFailing = fault != nil
        if let fault { return wasFailing ? nil : .failed(fault) }
        return wasFailing ? .answered : nil
    }
}
