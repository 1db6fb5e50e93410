import NudgedPreferences
import TimeZones

/// Which dates and instants the frequency allows after a user's check-ins. Together they are ok(D) of docs/POLICY.md,
/// "Check-ins".
struct Pace {
    let frequency: Frequency
    /// ISO weekday of the weekly anchor.
    let anchor: Int
    /// The latest slot. Check-ins more than 48 h ahead are ignored.
    private(set) var lastSlot: LocalDate?
    /// The latest instant. Check-ins more than 48 h ahead are ignored.
    private(set) var lastAt: Instant?
    private let checkIns: [CheckIn]
    private let horizon: Instant

    init(_ frequency: Frequency, anchor: Int, _ checkIns: [CheckIn], now: Instant) {
        self.frequency = frequency
        self.anchor = anchor
        self.checkIns = checkIns
        horizon = now + History.horizon
        for checkIn in checkIns where checkIn.at <= horizon {
            if let slot = lastSlot, checkIn.slot <= slot {} else { lastSlot = checkIn.slot }
            if let at = lastAt, checkIn.at <= at {} else { lastAt = checkIn.at }
        }
    }

    /// The least days from the last slot to the next.
    private var days: Int {
        switch frequency {
        case .daily: 1
        case .fewTimesAWeek: 2
        case .weekly: 4
        }
    }

    /// The least seconds from the last send to the next.
    private var pause: Int64 {
        switch frequency {
        case .daily: 12 * 3600
        case .fewTimesAWeek: 36 * 3600
        case .weekly: 0
        }
    }

    /// No earlier slot is allowed. nil: any slot is.
    var earliestSlot: LocalDate? { lastSlot.map { $0 + days } }

    /// Whether the conditions about dates allow D.
    @inline(__always)
    func allows(_ date: LocalDate) -> Bool {
        switch frequency {
        case .daily:
            return lastSlot.map { date > $0 } ?? true
        case .fewTimesAWeek:
            guard let lastSlot else { return true }
            return date - lastSlot >= 2 && count(from: date - 6, through: date) < 3
        case .weekly:
            let sinceAnchor = (date.isoWeekday - anchor + 7) % 7
            guard sinceAnchor <= 2 else { return false }
            guard let lastSlot else { return true }
            return lastSlot < date - sinceAnchor && date - lastSlot >= 4
        }
    }

    /// Whether the conditions about instants allow e(D).
    @inline(__always)
    func allows(_ earliest: Instant) -> Bool {
        guard frequency != .weekly, let lastAt else { return true }
        return earliest - lastAt >= pause
    }

    /// Check-ins with a slot in a range of dates.
    func count(from first: LocalDate, through last: LocalDate) -> Int {
        var count = 0
        for checkIn in checkIns where checkIn.at <= horizon && checkIn.slot >= first && checkIn.slot <= last {
            count += 1
        }
        return count
    }
}
