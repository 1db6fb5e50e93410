/// A refused call of nudged_api.set_reminder: the changed argument, and the expected message and hint.
struct RefusedReminder: Sendable {
    let change: [String: String]
    let refusal: String

    private init(_ change: [String: String], _ refusal: String) {
        self.change = change
        self.refusal = refusal
    }

    func arguments(_ author: String) -> String {
        var arguments = [
            "subject_type": "'task'", "subject_id": "'7'", "author": author, "title": "'Water'", "body": "'the plants'",
            "due_at": "'2040-01-02 09:00Z'",
        ]
        arguments.merge(change) { $1 }
        return arguments.map { "\($0.key) => \($0.value)" }.joined(separator: ", ")
    }

    private static let both =
        "Give an instant (due_at), or a wall time that each recipient gets in their own zone (due_local)."
    private static let zone =
        "timezone is no zone that the server knows / Give a name in its exact spelling, such as Europe/Berlin, or null for each recipient's own zone."
    private static let until = "recurrence.UNTIL is before the reminder is due / Give a later UNTIL, or none."
    private static let type =
        "subject_type is empty or longer than 100 bytes / Name what the reminder is about by its kind, such as task."
    private static let subject =
        "subject_id is empty or longer than 200 bytes / Give the id of what the reminder is about, as text."
    private static let text =
        "title and body are both empty / Phones do not show a push without text. Give a title or a body."

    static let all = [
        RefusedReminder(["subject_type": "''"], type), RefusedReminder(["subject_type": "null"], type),
        RefusedReminder(["subject_type": "repeat('x', 101)"], type),
        RefusedReminder(["subject_id": "''"], subject), RefusedReminder(["subject_id": "null"], subject),
        RefusedReminder(["subject_id": "repeat('é', 101)"], subject),
        RefusedReminder(["author": "null"], "author is null / Name the user who sets the reminder."),
        RefusedReminder(
            ["author": "'00000000-0000-4000-8000-00000000ffff'"],
            "author is nobody in nudged.recipient or nudged.device / Name a user of the app, and write their profile first."
        ),
        RefusedReminder(["title": "''", "body": "null"], text),
        RefusedReminder(["title": "E' \\n'", "body": "'  '"], text),
        RefusedReminder(
            ["title": "repeat('x', 5000)"],
            "the payload has 5135 bytes / Apple accepts 4096 bytes for the whole payload. Shorten title."
        ),
        RefusedReminder(
            ["apns": "'{\"content_available\": true}'"],
            "apns.content_available is true / Only a message can be a background push: use nudged_api.send."
        ),
        RefusedReminder(
            ["apns": "'{\"data\": {\"subject_id\": 1}}'"],
            "apns.data holds \"subject_type\" or \"subject_id\" / The payload has the reminder's own: give those members other names."
        ),
        RefusedReminder(["due_at": "null"], "due_at and due_local are both null / " + both),
        RefusedReminder(["due_local": "'2040-01-02 09:00'"], "due_at and due_local are both given / " + both),
        RefusedReminder(["due_at": "'infinity'"], "due_at is more than 100 years away / Give a time within 100 years."),
        RefusedReminder(
            ["due_at": "'-infinity'"],
            "due_at is more than 100 years away / Give a time within 100 years."
        ),
        RefusedReminder(
            ["due_at": "'3000-01-01Z'"],
            "due_at is more than 100 years away / Give a time within 100 years."
        ),
        RefusedReminder(
            ["due_at": "null", "due_local": "'294276-12-31 23:00'"],
            "due_local is more than 100 years away / Give a time within 100 years."
        ),
        // The last moment that PostgreSQL knows has no next second.
        RefusedReminder(
            ["due_at": "'294276-12-31 23:59:59.999999Z'"],
            "due_at is more than 100 years away / Give a time within 100 years."
        ),
        RefusedReminder(
            ["due_at": "null", "due_local": "'294276-12-31 23:59:59.999999'"],
            "due_local is more than 100 years away / Give a time within 100 years."
        ),
        RefusedReminder(["due_at": "'4714-11-24 00:00Z BC'"], "due_at is in the past / Give a time in the future."),
        RefusedReminder(
            ["title": "U&'\\00A0\\3000'", "body": "U&' \\200B\\FEFF\\2003'"],
            "title and body are both empty / Phones do not show a push without text. Give a title or a body."
        ),
        RefusedReminder(
            ["due_at": "now() - interval '1 second'"],
            "due_at is in the past / Give a time in the future."
        ),
        RefusedReminder(
            ["due_at": "null", "due_local": "(now() at time zone 'UTC') - interval '12 hours 1 second'"],
            "due_local is in the past in every zone / Give a wall time in the future."
        ),
        RefusedReminder(
            [
                "due_at": "null", "due_local": "(now() at time zone 'Asia/Tokyo') - interval '1 second'",
                "timezone": "'Asia/Tokyo'",
            ],
            "due_local is in the past in timezone / Give a wall time in the future."
        ),
        RefusedReminder(
            ["audience": "'all'"],
            "audience is neither me nor everyone / Use me for the author, or everyone for the members in nudged.subject_member when it is due."
        ),
        RefusedReminder(
            ["audience": "null"],
            "audience is neither me nor everyone / Use me for the author, or everyone for the members in nudged.subject_member when it is due."
        ),
        RefusedReminder(["timezone": "'Mars/Base'"], zone), RefusedReminder(["timezone": "'europe/berlin'"], zone),
        RefusedReminder(
            ["recurrence": "'FREQ=WEEKLY;BYDAY=MON'"],
            "recurrence.BYDAY: found another value / Wanted: weekdays, MO to SU, with commas between them; with FREQ=MONTHLY also 1MO to 5MO and -1MO (the last) to -5MO."
        ),
        RefusedReminder(
            ["recurrence": "''"],
            "recurrence: found nothing / Wanted: a rule such as FREQ=WEEKLY;BYDAY=MO."
        ),
        RefusedReminder(["recurrence": "'FREQ=DAILY;UNTIL=20400102T085959Z'"], until),
        RefusedReminder(["recurrence": "'freq=daily;until=20391231'"], until),
        RefusedReminder(
            ["due_at": "null", "due_local": "'2040-01-02 09:00'", "recurrence": "'FREQ=DAILY;UNTIL=20400101'"],
            until
        ),
        RefusedReminder(
            ["due_at": "null", "due_local": "'2040-01-02 09:00'", "recurrence": "'FREQ=DAILY;UNTIL=20400102T085959'"],
            until
        ),
        RefusedReminder(
            ["due_at": "null", "due_local": "'2040-01-02 09:00'", "recurrence": "'FREQ=DAILY;UNTIL=20400101T065959Z'"],
            until
        ),
    ]

    /// The same, and yet in time: only a zone could tell.
    static let taken = [
        ["recurrence": "'FREQ=DAILY;UNTIL=20400102T090000Z'"], ["recurrence": "'FREQ=DAILY;UNTIL=20400101'"],
        ["due_at": "null", "due_local": "'2040-01-02 09:00'", "recurrence": "'FREQ=DAILY;UNTIL=20400102'"],
        ["due_at": "null", "due_local": "'2040-01-02 09:00'", "recurrence": "'FREQ=DAILY;UNTIL=20400102T090000'"],
        ["due_at": "null", "due_local": "'2040-01-02 09:00'", "recurrence": "'FREQ=DAILY;UNTIL=20400101T070000Z'"],
        ["due_at": "now()"],
        ["due_at": "null", "due_local": "(now() at time zone 'UTC') - interval '11 hours 59 minutes'"],
        [
            "due_at": "null", "due_local": "(now() at time zone 'America/New_York') + interval '1 second'",
            "timezone": "'America/New_York'",
        ],
        ["title": "null"], ["body": "''"], ["subject_type": "repeat('x', 100)"], ["subject_id": "repeat('é', 100)"],
        ["timezone": "'UTC'"], ["timezone": "'America/Port-au-Prince'"],
    ].map { RefusedReminder($0, "") }
}
