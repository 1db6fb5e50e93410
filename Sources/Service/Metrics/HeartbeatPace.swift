/// Decides when the heartbeat's address is called, and what of it is news. Instants are milliseconds of CLOCK_BOOTTIME.
struct HeartbeatPace: Sendable {
    /// What somebody should hear.
    enum News: Sendable, Equatable {
        case failed(String)
        case answered
    }

    /// At least so many milliseconds from call to call.
    let interval: Int64
    private var lastBegun: Int64?
    private var isCalling = false
    private var isFailing = false

    init(interval: Int64) {
        self.interval = interval
    }

    /// A sweep was good: whether it is called now. Each call that is begun is ended.
    mutating func begin(now: Int64) -> Bool {
        if isCalling { return false }
        if let lastBegun, now - lastBegun < interval { return false }
        lastBegun = now
        isCalling = true
        return true
    }

    /// The call came to its end. nil: nothing has changed.
    ///
    /// - Parameter fault: why it came to nothing; nil: it was answered.
    mutating func end(fault: String?) -> News? {
        isCalling = false
        let wasFailing = isFailing
        isFailing = fault != nil
        if let fault { return wasFailing ? nil : .failed(fault) }
        return wasFailing ? .answered : nil
    }
}
