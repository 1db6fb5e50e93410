/// The result of the day, read after everything was stopped.
struct DayResult: Sendable {
    let total: HourTable.Line
    let hours: LocalHours
    let check: DayCheck
    let pushes: Int
    /// How many changes of preferences the app wrote.
    let changes: Int
    /// How long the 24 hours took in real time.
    let duration: Duration
}
