import TimeZones

/// Slots that ended without counting. A few are searched one by one, many are sorted first.
struct ClosedSlots {
    private let dates: [LocalDate]
    private let isSorted: Bool

    init(_ closed: [LocalDate]) {
        isSorted = closed.count > 16
        dates = isSorted ? closed.sorted() : closed
    }

    func contains(_ date: LocalDate) -> Bool {
        guard isSorted else { return dates.contains(date) }
        var low = 0
        var high = dates.count
        while low < high {
            let middle = (low + high) / 2
            if dates[middle] < date { low = middle + 1 } else { high = middle }
        }
        return low < dates.count && dates[low] == date
    }
}
