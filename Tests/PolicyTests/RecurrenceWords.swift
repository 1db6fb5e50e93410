/// A rule as a person reads it.
struct RecurrenceWords: Sendable {
    let rule: String
    let text: String

    init(_ rule: String, _ text: String) {
        self.rule = rule
        self.text = text
    }

    static let all = [
        RecurrenceWords("FREQ=DAILY", "every day"),
        RecurrenceWords("FREQ=DAILY;INTERVAL=3", "every 3 days"),
        RecurrenceWords("FREQ=DAILY;BYDAY=SA,SU", "every day on Sat and Sun"),
        RecurrenceWords("FREQ=DAILY;BYMONTHDAY=1,-1", "every day on the 1st and last day of the month"),
        RecurrenceWords("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO", "every 2 weeks on Mon and Fri"),
        RecurrenceWords("FREQ=WEEKLY;WKST=SU", "every week"),
        RecurrenceWords(
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU",
            "every 2 weeks on Mon and Sun, weeks from Sun on"
        ),
        RecurrenceWords("FREQ=WEEKLY;BYDAY=MO,TU,WE;COUNT=10", "every week on Mon, Tue and Wed, 10 times"),
        RecurrenceWords("FREQ=MONTHLY", "every month"),
        RecurrenceWords("FREQ=MONTHLY;BYDAY=2MO,-1FR", "every month on the 2nd Mon and the last Fri"),
        RecurrenceWords("FREQ=MONTHLY;BYDAY=TU,-2TH", "every month on every Tue and the 2nd to last Thu"),
        RecurrenceWords(
            "FREQ=MONTHLY;BYMONTHDAY=1,11,22,-1,-3",
            "every month on the 1st, 11th, 22nd, 3rd to last day and last day"
        ),
        RecurrenceWords("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "every month on the 13th if it is a Fri"),
        RecurrenceWords("FREQ=MONTHLY;INTERVAL=12;UNTIL=20301231", "every 12 months, until 2030-12-31"),
        RecurrenceWords("FREQ=DAILY;UNTIL=20301231T180000", "every day, until 2030-12-31 18:00:00"),
        RecurrenceWords("FREQ=DAILY;UNTIL=20301231T180000Z", "every day, until 2030-12-31T18:00:00Z"),
        RecurrenceWords("FREQ=DAILY;COUNT=1", "every day, once"),
    ]
}
