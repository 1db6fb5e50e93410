/// A rule as a person reads it.
struct RecurrenceText: Sendable {
    let rule: String
    let text: String

    init(_ rule: String, _ text: String) {
        self.rule = rule
        self.text = text
    }

    static let all = [
        RecurrenceText("FREQ=DAILY", "every day"),
        RecurrenceText("FREQ=DAILY;INTERVAL=3", "every 3 days"),
        RecurrenceText("FREQ=DAILY;BYDAY=SA,SU", "every day on Sat and Sun"),
        RecurrenceText("FREQ=DAILY;BYMONTHDAY=1,-1", "every day on the 1st and last day of the month"),
        RecurrenceText("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR,MO", "every 2 weeks on Mon and Fri"),
        RecurrenceText("FREQ=WEEKLY;WKST=SU", "every week"),
        RecurrenceText("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;WKST=SU", "every 2 weeks on Mon and Sun, weeks from Sun on"),
        RecurrenceText("FREQ=WEEKLY;BYDAY=MO,TU,WE;COUNT=10", "every week on Mon, Tue and Wed, 10 times"),
        RecurrenceText("FREQ=MONTHLY", "every month"),
        RecurrenceText("FREQ=MONTHLY;BYDAY=2MO,-1FR", "every month on the 2nd Mon and the last Fri"),
        RecurrenceText("FREQ=MONTHLY;BYDAY=TU,-2TH", "every month on every Tue and the 2nd to last Thu"),
        RecurrenceText(
            "FREQ=MONTHLY;BYMONTHDAY=1,11,22,-1,-3",
            "every month on the 1st, 11th, 22nd, 3rd to last day and last day"
        ),
        RecurrenceText("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "every month on the 13th if it is a Fri"),
        RecurrenceText("FREQ=MONTHLY;INTERVAL=12;UNTIL=20301231", "every 12 months, until 2030-12-31"),
        RecurrenceText("FREQ=DAILY;UNTIL=20301231T180000", "every day, until 2030-12-31 18:00:00"),
        RecurrenceText("FREQ=DAILY;UNTIL=20301231T180000Z", "every day, until 2030-12-31T18:00:00Z"),
        RecurrenceText("FREQ=DAILY;COUNT=1", "every day, once"),
    ]
}
