/// What is left of the day once everything is stopped.
struct DayResult: Sendable {
    let total: HourTable.Line
    let hours: LocalHours
    let verdict: Verdict
    let pushes: Int
    /// Changes of preferences that the apps wrote in the course of the day.
    let changes: Int
    /// Real time of the 24 hours.
    let duration: Duration
}
