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

    package static let good =
        [
            "FREQ=DAILY", "freq=weekly;byday=mo,fr", "INTERVAL=2;FREQ=MONTHLY", "FREQ=DAILY;INTERVAL=9999",
            "FREQ=DAILY;INTERVAL=0007", "FREQ=DAILY;COUNT=1", "FREQ=DAILY;COUNT=9999", "FREQ=MONTHLY;BYDAY=2MO,-1FR",
            "FREQ=MONTHLY;BYDAY=+5SU,-5SU,01MO", "FREQ=MONTHLY;BYDAY=MO,1MO,MO",
            "FREQ=MONTHLY;BYMONTHDAY=1,+2,-31,31,09", "FREQ=DAILY;BYDAY=MO;BYMONTHDAY=13", "FREQ=DAILY;UNTIL=20261231",
            "FREQ=DAILY;UNTIL=20261231T180000", "FREQ=DAILY;UNTIL=20261231t180000z", "FREQ=DAILY;UNTIL=20280229",
            "FREQ=DAILY;UNTIL=00010101", "FREQ=DAILY;UNTIL=99991231T235959Z", "FREQ=DAILY;UNTIL=20000229",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "FREQ=DAILY;WKST=mo",
            "FREQ=MONTHLY;BYMONTHDAY=" + Array(repeating: "1", count: 238).joined(separator: ","),
        ].map { TabledRule($0) }

    package static let bad = structure + values + contradictions

    private static let structure = [
        TabledRule("", "recurrence: found nothing, wanted a rule such as FREQ=WEEKLY;BYDAY=MO"),
        TabledRule(
            "FREQ=MONTHLY;BYMONTHDAY=" + Array(repeating: "1", count: 239).joined(separator: ","),
            "recurrence: found more than 500 bytes, wanted a shorter rule"
        ),
        TabledRule("RRULE:FREQ=DAILY", "recurrence: found the prefix RRULE:, wanted the rule alone, from FREQ= on"),
        TabledRule("every day", "recurrence: found a part without =, wanted NAME=VALUE parts with ; between them"),
        TabledRule("FREQ=DAILY;", "recurrence: found a part without =, wanted NAME=VALUE parts with ; between them"),
        TabledRule(
            "FREQ=DAILY;;COUNT=2",
            "recurrence: found a part without =, wanted NAME=VALUE parts with ; between them"
        ),
        TabledRule(" FREQ=DAILY", "recurrence: found an unknown part, wanted \(all)"),
        TabledRule("=DAILY", "recurrence: found an unknown part, wanted \(all)"),
        TabledRule("FREQ=DAILY;FRÉQ=1", "recurrence: found an unknown part, wanted \(all)"),
        TabledRule("FREQ=DAILY;ıNTERVAL=1", "recurrence: found an unknown part, wanted \(all)"),
        TabledRule(
            "FREQ=DAILY;BYSETPOS=1",
            "recurrence.BYSETPOS: found a part that reminders do not have, wanted a numbered weekday, as BYDAY=-1FR for the "
                + "last Friday of a month"
        ),
        TabledRule("FREQ=DAILY;BYHOUR=9", "recurrence.BYHOUR: found a part that reminders do not have, wanted \(all)"),
        TabledRule("bymonth=1", "recurrence.BYMONTH: found a part that reminders do not have, wanted \(all)"),
        TabledRule("FREQ=DAILY;FREQ=DAILY", "recurrence.FREQ: found it twice, wanted it once"),
        TabledRule("FREQ=DAILY;COUNT=2;count=2", "recurrence.COUNT: found it twice, wanted it once"),
    ]

    private static let values =
        [
            ("FREQ=YEARLY", "recurrence.FREQ: found another value, \(frequency)"),
            ("FREQ=", "recurrence.FREQ: found another value, \(frequency)"),
            ("FREQ=DAILY ", "recurrence.FREQ: found another value, \(frequency)"),
            ("FREQ=DAILY\n", "recurrence.FREQ: found another value, \(frequency)"),
            ("FREQ=DAILY=1", "recurrence.FREQ: found another value, \(frequency)"),
            ("FREQ=YEARLY;COUNT=x", "recurrence.FREQ: found another value, \(frequency)"),
            ("FREQ=DAILY;INTERVAL=0", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=10000", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=0000000001", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=+1", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=1\n", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=١", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;INTERVAL=99999999999999999999", "recurrence.INTERVAL: \(number)"),
            ("FREQ=DAILY;COUNT=0", "recurrence.COUNT: \(number)"),
            ("FREQ=DAILY;COUNT=-1", "recurrence.COUNT: \(number)"),
            ("FREQ=WEEKLY;BYDAY=", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=WEEKLY;BYDAY=MON", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=WEEKLY;BYDAY=MO,", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=WEEKLY;BYDAY=MO FR", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=0MO", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=6MO", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=-6MO", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=-MO", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=001MO", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=+-1MO", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=M", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYDAY=1", "recurrence.BYDAY: \(weekdays)"),
            ("FREQ=MONTHLY;BYMONTHDAY=0", "recurrence.BYMONTHDAY: \(monthDays)"),
            ("FREQ=MONTHLY;BYMONTHDAY=32", "recurrence.BYMONTHDAY: \(monthDays)"),
            ("FREQ=MONTHLY;BYMONTHDAY=-32", "recurrence.BYMONTHDAY: \(monthDays)"),
            ("FREQ=MONTHLY;BYMONTHDAY=001", "recurrence.BYMONTHDAY: \(monthDays)"),
            ("FREQ=MONTHLY;BYMONTHDAY=", "recurrence.BYMONTHDAY: \(monthDays)"),
            ("FREQ=MONTHLY;BYMONTHDAY=1,,2", "recurrence.BYMONTHDAY: \(monthDays)"),
            ("FREQ=DAILY;UNTIL=2026-12-31", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261301", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20260001", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20260230", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20260229", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=21000229", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20260100", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=00001231", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231T240000", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231T236000", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231T235960", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231T1800", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231X180000", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231T180000+", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=20261231Z", "recurrence.UNTIL: \(until)"),
            ("FREQ=DAILY;UNTIL=", "recurrence.UNTIL: \(until)"),
            ("FREQ=WEEKLY;WKST=1MO", "recurrence.WKST: found another value, wanted a weekday, MO to SU"),
            ("FREQ=WEEKLY;WKST=", "recurrence.WKST: found another value, wanted a weekday, MO to SU"),
        ].map { TabledRule($0.0, $0.1) }

    private static let contradictions = [
        TabledRule("COUNT=3", "recurrence.FREQ: found nothing, \(frequency)"),
        TabledRule("COUNT=3;UNTIL=20261231", "recurrence.FREQ: found nothing, \(frequency)"),
        TabledRule(
            "FREQ=DAILY;COUNT=3;UNTIL=20261231",
            "recurrence.UNTIL: found it beside COUNT, wanted one of the two"
        ),
        TabledRule(
            "UNTIL=20261231;BYMONTHDAY=1;COUNT=3;FREQ=WEEKLY",
            "recurrence.UNTIL: found it beside COUNT, wanted one of the two"
        ),
        TabledRule(
            "FREQ=WEEKLY;BYMONTHDAY=1",
            "recurrence.BYMONTHDAY: found it with FREQ=WEEKLY, wanted FREQ=MONTHLY or FREQ=DAILY"
        ),
        TabledRule(
            "BYDAY=1MO;BYMONTHDAY=1;FREQ=WEEKLY",
            "recurrence.BYMONTHDAY: found it with FREQ=WEEKLY, wanted FREQ=MONTHLY or FREQ=DAILY"
        ),
        TabledRule(
            "FREQ=WEEKLY;BYDAY=TU,1MO",
            "recurrence.BYDAY: found a numbered weekday without FREQ=MONTHLY, wanted weekdays alone, or FREQ=MONTHLY"
        ),
        TabledRule(
            "BYDAY=-1MO;FREQ=DAILY",
            "recurrence.BYDAY: found a numbered weekday without FREQ=MONTHLY, wanted weekdays alone, or FREQ=MONTHLY"
        ),
    ]
}
