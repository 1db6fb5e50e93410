public import TimeZones

/// What was sent to a user and counts. Each list may be in any order.
public struct History: Sendable, Equatable {
    /// Check-ins that count as sent.
    public var checkIns: [CheckIn]
    /// Slots that ended without counting.
    public var closed: [LocalDate]
    /// Every send that counts, of any kind, check-ins included.
    public var sent: [Instant]

    /// Creates a history.
    public init(checkIns: [CheckIn] = [], closed: [LocalDate] = [], sent: [Instant] = []) {
        self.checkIns = checkIns
        self.closed = closed
        self.sent = sent
    }

    /// With a check-in, which is also a send.
    public func adding(_ checkIn: CheckIn) -> History {
        var history = adding(sent: checkIn.at)
        history.checkIns.append(checkIn)
        return history
    }

    /// With the send of a message or a reminder.
    public func adding(sent instant: Instant) -> History {
        var history = self
        history.sent.append(instant)
        return history
    }

    /// Without one such check-in and its send.
    public func removing(_ checkIn: CheckIn) -> History {
        guard let index = checkIns.firstIndex(of: checkIn) else { return self }
        var history = removing(sent: checkIn.at)
        history.checkIns.remove(at: index)
        return history
    }

    /// Without one send at that instant.
    public func removing(sent instant: Instant) -> History {
        var history = self
        if let index = sent.firstIndex(of: instant) { history.sent.remove(at: index) }
        return history
    }

    /// With a slot that ended without counting.
    public func closing(_ slot: LocalDate) -> History {
        var history = self
        if !closed.contains(slot) { history.closed.append(slot) }
        return history
    }
}
