/// A recurrence rule and what SQL's `nudged.recurrence_fault` says of it. Swift's parser refuses the same ones.
package struct TabledRule: Sendable {
    package let text: String
    /// What is wrong with it; nil: it is right.
    package let error: String?

    private init(_ text: String, _ error: String? = nil) {
        self.text = text
        self.error = error
    }

    private static let all = "only FREQ, INTERVAL, BYDAY, BYMONTHDAY, COUNT, UNTIL and WKST"
    private static let number = "found another value, wanted a number from 1 to 9999"
    private static let weekdays =
        "found another value, wanted weekdays, MO to SU, with commas between them; with FREQ=MONTHLY also 1MO to 5MO and -1MO (the last) to -5MO"
    private static let monthDays =
        "found another value, wanted days of the month, 1 to 31 or -1 (the last) to -31, with commas between them"
    private static let until =
        "found another value, wanted a day or a time: 20261231, 20261231T180000 (wall time) or 20261231T180000Z"
    private static let frequency = "wanted DAILY, WEEKLY or MONTHLY (each year is FREQ=MONTHLY;INTERVAL=12)"

    private static let unknown = "recurrence: found an unknown part, wanted \(all)"
    private static let absent = "found a part that reminders do not have"
    private static let numberedDay = "a numbered weekday, as BYDAY=-1FR for the last Friday of a month"
    private static let parts = "recurrence: found a part without =, wanted NAME=VALUE parts with ; between them"
    private static let twice = "recurrence.UNTIL: found it beside COUNT, wanted one of the two"
    private static let weekly = "recurrence.BYMONTHDAY: found it with FREQ=WEEKLY, wanted FREQ=MONTHLY or FREQ=DAILY"
    private static let numbered =
        "recurrence.BYDAY: found a numbered weekday without FREQ=MONTHLY, wanted weekdays alone, or FREQ=MONTHLY"

    package static let good =
        [
            "FREQ=DAILY", "freq=weekly;byday=mo,fr", "INTERVAL=2;FREQ=MONTHLY", "FREQ=DAILY;INTERVAL=9999",
            "FREQ=DAILY;INTERVAL=0007", "FREQ=DAILY;COUNT=1", "FREQ=DAILY;COUNT=9999", "FREQ=MONTHLY;BYDAY=2MO,-1FR",
            "FREQ=MONTHLY;BYDAY=+5SU,-5SU,01MO", "FREQ=MONTHLY;BYDAY=MO,1MO,MO",
            "FREQ=MONTHLY;BYMONTHDAY=1,+2,-31,31,09", "FREQ=DAILY;BYDAY=MO;BYMONTHDAY=13", "FREQ=DAILY;UNTIL=20261231",
            "FREQ=DAILY;UNTIL=20261231T180000", "FREQ=DAILY;UNTIL=20261231t180000z", "FREQ=DAILY;UNTIL=20280229",
            "FREQ=DAILY;UNTIL=00010101", "FREQ=DAILY;UNTIL=99991231T235959Z", "FREQ=DAILY;UNTIL=20000229",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "FREQ=DAILY;WKST=mo", ones(238),
        ].map { TabledRule($0) }

    package static let bad = structure + values + contradictions

    private static func ones(_ count: Int) -> String {
        "FREQ=MONTHLY;BYMONTHDAY=" + Array(repeating: "1", count: count).joined(separator: ",")
    }

    private static let structure = [
        TabledRule("", "recurrence: found nothing, wanted a rule such as FREQ=WEEKLY;BYDAY=MO"),
        TabledRule(ones(239), "recurrence: found more than 500 bytes, wanted a shorter rule"),
        TabledRule("RRULE:FREQ=DAILY", "recurrence: found the prefix RRULE:, wanted the rule alone, from FREQ= on"),
        TabledRule("every day", parts), TabledRule("FREQ=DAILY;", parts), TabledRule("FREQ=DAILY;;COUNT=2", parts),
        TabledRule(" FREQ=DAILY", unknown), TabledRule("=DAILY", unknown),
        TabledRule("FREQ=DAILY;FRÉQ=1", unknown), TabledRule("FREQ=DAILY;ıNTERVAL=1", unknown),
        TabledRule("FREQ=DAILY;BYSETPOS=1", "recurrence.BYSETPOS: \(absent), wanted \(numberedDay)"),
        TabledRule("FREQ=DAILY;BYHOUR=9", "recurrence.BYHOUR: \(absent), wanted \(all)"),
        TabledRule("bymonth=1", "recurrence.BYMONTH: \(absent), wanted \(all)"),
        TabledRule("FREQ=DAILY;FREQ=DAILY", "recurrence.FREQ: found it twice, wanted it once"),
        TabledRule("FREQ=DAILY;COUNT=2;count=2", "recurrence.COUNT: found it twice, wanted it once"),
    ]

    /// What is wrong, how such rules begin, and how each goes on.
    private static let values =
        ([
            (
                "FREQ: found another value, \(frequency)", "FREQ=",
                ["YEARLY", "", "DAILY ", "DAILY\n", "DAILY=1", "YEARLY;COUNT=x"]
            ),
            (
                "INTERVAL: \(number)", "FREQ=DAILY;INTERVAL=",
                ["0", "10000", "0000000001", "+1", "", "1\n", "١", "99999999999999999999"]
            ),
            ("COUNT: \(number)", "FREQ=DAILY;COUNT=", ["0", "-1"]),
            ("BYDAY: \(weekdays)", "FREQ=WEEKLY;BYDAY=", ["", "MON", "MO,", "MO FR"]),
            ("BYDAY: \(weekdays)", "FREQ=MONTHLY;BYDAY=", ["0MO", "6MO", "-6MO", "-MO", "001MO", "+-1MO", "M", "1"]),
            ("BYMONTHDAY: \(monthDays)", "FREQ=MONTHLY;BYMONTHDAY=", ["0", "32", "-32", "001", "", "1,,2"]),
            (
                "UNTIL: \(until)", "FREQ=DAILY;UNTIL=",
                [
                    "2026-12-31", "20261301", "20260001", "20260230", "20260229", "21000229", "20260100", "00001231",
                    "20261231T240000", "20261231T236000", "20261231T235960", "20261231T1800", "20261231X180000",
                    "20261231T180000+", "20261231Z", "",
                ]
            ),
            ("WKST: found another value, wanted a weekday, MO to SU", "FREQ=WEEKLY;WKST=", ["1MO", ""]),
        ] as [(String, String, [String])]).flatMap { error, start, ends in
            ends.map { TabledRule(start + $0, "recurrence.\(error)") }
        }

    private static let contradictions = [
        TabledRule("COUNT=3", "recurrence.FREQ: found nothing, \(frequency)"),
        TabledRule("COUNT=3;UNTIL=20261231", "recurrence.FREQ: found nothing, \(frequency)"),
        TabledRule("FREQ=DAILY;COUNT=3;UNTIL=20261231", twice),
        TabledRule("UNTIL=20261231;BYMONTHDAY=1;COUNT=3;FREQ=WEEKLY", twice),
        TabledRule("FREQ=WEEKLY;BYMONTHDAY=1", weekly), TabledRule("BYDAY=1MO;BYMONTHDAY=1;FREQ=WEEKLY", weekly),
        TabledRule("FREQ=WEEKLY;BYDAY=TU,1MO", numbered), TabledRule("BYDAY=-1MO;FREQ=DAILY", numbered),
    ]
}
