/// Why an answer of the decision service is none: the member and what is wanted there, never what it held.
package struct DecisionNonsense: Error, Sendable, Equatable, CustomStringConvertible {
    /// nil: the whole.
    let member: String?
    let wanted: String

    package var description: String { member.map { "\($0): wanted \(wanted)" } ?? "wanted \(wanted)" }
}
