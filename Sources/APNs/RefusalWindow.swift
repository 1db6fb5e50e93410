/// Decides whether refused tokens are the fault of their devices or of the lane's configuration.
///
/// Apple gives the same answers (BadDeviceToken, DeviceTokenNotForTopic) to a broken token and to a token of another
/// environment or app. So devices are blamed only when a window of answers closes. If over half of a full window were
/// refused, the lane is misconfigured and no device is blamed.
package struct RefusalWindow: Sendable {
    /// A refused push, and who gets the window's result.
    struct Suspect: Sendable {
        let token: RefusedToken
        let receiver: RefusalReceiver
    }

    enum Outcome: Sendable {
        case quarantine([Suspect])
        /// The lane's environment or topic is wrong: more than half of a full window were refused.
        case misconfigured(reason: String)
    }

    /// A window with this many answers closes.
    static let fullCount = 100
    /// A window closes this many milliseconds after its first answer, however few came.
    static let span: Int64 = spanSeconds * 1000
    /// The same in seconds. A caller that comes back after this time finds the result.
    package static let spanSeconds: Int64 = 60

    private(set) var suspects: [Suspect] = []
    private var answers = 0
    private var openedAt: Int64 = 0

    /// When a window with suspects closes without a further answer.
    var closesAt: Int64? { suspects.isEmpty ? nil : openedAt + Self.span }

    /// Counts an answer that doesn't blame the token: accepted, or the device is gone.
    mutating func answered(now: Int64) -> Outcome? {
        let late = tick(now: now)
        if answers == 0 { openedAt = now }
        answers += 1
        // A window cannot be full right after it has closed.
        return late ?? (answers >= Self.fullCount ? close() : nil)
    }

    /// Counts an answer that refuses its token.
    mutating func refused(_ suspect: Suspect, now: Int64) -> Outcome? {
        // A window whose time is over closes without this answer.
        let late = tick(now: now)
        suspects.append(suspect)
        return answered(now: now) ?? late
    }

    /// Closes a window whose time is over.
    mutating func tick(now: Int64) -> Outcome? {
        guard answers > 0, now - openedAt >= Self.span else { return nil }
        return close()
    }

    mutating func close() -> Outcome? {
        defer { self = RefusalWindow() }
        if suspects.isEmpty { return nil }
        if answers >= Self.fullCount, suspects.count * 2 > answers {
            return .misconfigured(reason: suspects.last?.token.reason ?? "")
        }
        return .quarantine(suspects)
    }
}
