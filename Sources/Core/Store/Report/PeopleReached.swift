/// Users with at least one accepted push.
package struct PeopleReached: Sendable, Equatable {
    /// By any kind of nudge. A user counts once.
    package var all: Int = 0
    /// By `check_in`, `message`, `reminder`, or `other`. A user counts in each kind that they got. A kind that reached
    /// nobody is missing.
    package var byKind: [String: Int] = [:]
}
