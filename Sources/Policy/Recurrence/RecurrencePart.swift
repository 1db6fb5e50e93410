/// The parts that a recurrence can have.
enum RecurrencePart: String, CaseIterable {
    case frequency = "FREQ"
    case interval = "INTERVAL"
    case weekdays = "BYDAY"
    case monthDays = "BYMONTHDAY"
    case count = "COUNT"
    case until = "UNTIL"
    case weekStart = "WKST"
    // The other parts of RFC 5545. They are listed so that errors can name them.
    case second = "BYSECOND"
    case minute = "BYMINUTE"
    case hour = "BYHOUR"
    case yearDay = "BYYEARDAY"
    case weekNumber = "BYWEEKNO"
    case month = "BYMONTH"
    case position = "BYSETPOS"

    /// The valid values of the part. nil: reminders do not support it.
    var wanted: String? {
        switch self {
        case .frequency: "DAILY, WEEKLY or MONTHLY (each year is FREQ=MONTHLY;INTERVAL=12)"
        case .interval, .count: "a number from 1 to 9999"
        case .weekdays:
            "weekdays, MO to SU, with commas between them; with FREQ=MONTHLY also 1MO to 5MO and -1MO (the last) to -5MO"
        case .monthDays: "days of the month, 1 to 31 or -1 (the last) to -31, with commas between them"
        case .until: "a day or a time: 20261231, 20261231T180000 (wall time) or 20261231T180000Z"
        case .weekStart: "a weekday, MO to SU"
        case .second, .minute, .hour, .yearDay, .weekNumber, .month, .position: nil
        }
    }

    static let all = "only FREQ, INTERVAL, BYDAY, BYMONTHDAY, COUNT, UNTIL and WKST"
}
