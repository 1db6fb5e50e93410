public import TimeZones

extension History {
    /// Entries further ahead of now are ignored: a host that once ran with a wrong clock must not silence its users for years.
    static let horizon: Int64 = 48 * 3600

    /// More check-ins than these no rule can ask for, even where several share a slot.
    private static let checkInLimit = 16
    /// Entries ahead are kept apart from the others and in this number, since it may be `now` that is wrong for a while.
    private static let aheadLimit = 8
    private static let closedLimit = 32

    /// What the policy can still ask for, newest first: check-ins with a slot within 8 days of the newest slot and the one with the latest
    /// `at`, closed slots from 7 days before now on, sends of the last 24 hours.
    ///
    /// Entries more than 48 h ahead of now are kept beside these, a few of them, and never push out real ones.
    /// - Parameter cap: how many sends to keep at most; the largest cap in force, or more.
    public func trimmed(now: Instant, cap: Int) -> History {
        let ahead = now + Self.horizon
        return History(
            checkIns: trimmedCheckIns(ahead: ahead),
            closed: trimmedClosed(now: now),
            sent: trimmedSends(ahead: ahead, day: now - 86_400, cap: cap)
        )
    }

    private func trimmedSends(ahead: Instant, day: Instant, cap: Int) -> [Instant] {
        // Most users' lists are empty: each list made below would be an allocation.
        guard !sent.isEmpty else { return [] }
        let real = sent.filter { $0 <= ahead && $0 > day }.sorted(by: >).prefix(max(cap, 0))
        let future = sent.filter { $0 > ahead }.sorted(by: <).prefix(Self.aheadLimit)
        return future.reversed() + real
    }

    private func trimmedCheckIns(ahead: Instant) -> [CheckIn] {
        // A single one is the newest, and the latest.
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

    /// A slot can be served for days after its date (staleness, spread, quiet hours): a week covers all of it. The eighth day is for the
    /// zones east of UTC.
    private func trimmedClosed(now: Instant) -> [LocalDate] {
        guard !closed.isEmpty else { return [] }
        let days = now.seconds / 86_400 - (now.seconds % 86_400 < 0 ? 1 : 0)
        let today = LocalDate(days: Int32(clamping: days))
        let kept = Set(closed).filter { $0 >= today - 8 }.sorted()
        // The nearest first: one far ahead can still be entered again, one of today is needed now.
        return kept.prefix(Self.closedLimit).reversed()
    }
}
