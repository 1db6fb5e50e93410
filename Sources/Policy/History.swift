public import TimeZones

/// A check-in that counts as sent: its outcome was accepted or unknown.
public struct CheckIn: Sendable, Hashable {
    public var at: Instant
    /// The user's local date for which it was sent.
    public var slot: LocalDate

    public init(at: Instant, slot: LocalDate) { (self.at, self.slot) = (at, slot) }
}

/// Pushes that count up the badge and that the app has not seen.
public struct UnseenPushes: Sendable, Equatable {
    public var count: Int32
    /// When the last one was sent.
    public var lastAt: Instant

    public init(count: Int32, lastAt: Instant) { (self.count, self.lastAt) = (count, lastAt) }
}

/// What was sent to a user and counts. Each list may be in any order.
public struct History: Sendable, Equatable {
    public var checkIns: [CheckIn]
    /// Slots that ended without counting.
    public var closed: [LocalDate]
    /// Every send that counts, of any kind, check-ins included.
    public var sent: [Instant]
    public var unseen: UnseenPushes?

    public init(checkIns: [CheckIn] = [], closed: [LocalDate] = [], sent: [Instant] = [], unseen: UnseenPushes? = nil) {
        (self.checkIns, self.closed, self.sent, self.unseen) = (checkIns, closed, sent, unseen)
    }

    /// Adds a check-in, which is also a send.
    public mutating func add(_ checkIn: CheckIn) {
        checkIns.append(checkIn)
        add(sent: checkIn.at)
    }

    public mutating func add(sent instant: Instant) { sent.append(instant) }

    /// Removes one such check-in and its send.
    public mutating func remove(_ checkIn: CheckIn) {
        guard let index = checkIns.firstIndex(of: checkIn) else { return }
        checkIns.remove(at: index)
        remove(sent: checkIn.at)
    }

    public mutating func remove(sent instant: Instant) {
        if let index = sent.firstIndex(of: instant) { sent.remove(at: index) }
    }

    public mutating func close(_ slot: LocalDate) { if !closed.contains(slot) { closed.append(slot) } }

    /// Entries more than 48 h ahead are ignored: a host that once ran with a wrong clock must not silence its users for
    /// years.
    package static let horizon: Int64 = 48 * 3600

    /// No rule needs more check-ins than this, even if several share a slot.
    private static let checkInLimit = 16
    /// Entries ahead are kept, too, but only this many: perhaps `now` is wrong for a while.
    private static let aheadLimit = 8
    private static let closedLimit = 32

    /// The entries that the policy still needs, newest first:
    /// - check-ins with a slot within 8 days of the newest slot, and the one with the latest `at`
    /// - closed slots from 14 days before today (in UTC) on
    /// - sends of the last 24 hours
    ///
    /// A few entries more than 48 h ahead are kept as well. They never displace others.
    ///
    /// - Parameter cap: how many sends to keep at most: the largest cap, or more.
    public func trimmed(now: Instant, cap: Int) -> History {
        let ahead = now + Self.horizon
        let (checkIns, closed) = (trimmedCheckIns(ahead: ahead), trimmedClosed(now: now))
        let sent = trimmedSends(ahead: ahead, day: now - 86_400, cap: cap)
        return History(checkIns: checkIns, closed: closed, sent: sent, unseen: unseen)
    }

    private func trimmedSends(ahead: Instant, day: Instant, cap: Int) -> [Instant] {
        // Most lists are empty, and each list made below would be an allocation.
        guard !sent.isEmpty else { return [] }
        var kept = sent.filter { $0 > day }
        kept.sort(by: >)
        let future = kept.prefix { $0 > ahead }.count
        kept.removeLast(max(0, kept.count - future - max(cap, 0)))
        kept.removeFirst(max(0, future - Self.aheadLimit))
        return kept
    }

    private func trimmedCheckIns(ahead: Instant) -> [CheckIn] {
        // A single check-in has the newest slot and the latest instant.
        guard checkIns.count > 1 else { return checkIns }
        let newestSlotFirst = { (left: CheckIn, right: CheckIn) in (left.slot, left.at) > (right.slot, right.at) }
        let real = checkIns.filter { $0.at <= ahead }.sorted(by: newestSlotFirst)
        let future = checkIns.filter { $0.at > ahead }.sorted { ($0.at, $0.slot) < ($1.at, $1.slot) }
        var kept = Array(real.prefix { real[0].slot - $0.slot <= 8 }.prefix(Self.checkInLimit))
        if let latest = real.max(by: { $0.at < $1.at }), !kept.contains(where: { $0.at == latest.at }) {
            kept.append(latest)
        }
        return future.prefix(Self.aheadLimit).reversed() + kept
    }

    /// A slot can be used for days after its date: quiet hours by day can overlap for a week, and staleness and jitter
    /// are two days and one. The rest is for zones and transitions.
    private func trimmedClosed(now: Instant) -> [LocalDate] {
        guard !closed.isEmpty else { return [] }
        let today = LocalDateTime(asUTC: now).date
        let kept = Set(closed).filter { $0 >= today - 14 }.sorted()
        // The nearest come first: today's is needed now, and one far ahead can be entered again.
        return kept.prefix(Self.closedLimit).reversed()
    }
}
