/// Whether a refused token is its device's fault or ours.
///
/// Apple answers BadDeviceToken and DeviceTokenNotForTopic to a token of the other environment or of another app as it does to a broken one. A few
/// among many answers are such devices; most of many are our own wrong setting. So nobody is judged before a window of answers closes: where over
/// half of a full window was such, the lane is misconfigured and no device is to blame; else those devices are.
public struct VerdictWindow: Sendable {
    /// A refused push, and whose it is.
    struct Suspect: Sendable, Equatable {
        let batch: Int
        let token: RefusedToken
    }

    /// What a closed window says.
    enum Verdict: Sendable, Equatable {
        /// These devices are to blame.
        case quarantine([Suspect])
        /// The lane's environment or topic is wrong: most of a full window were refused.
        case misconfigured(reason: String)
    }

    /// Answers that fill a window.
    static let fullCount = 100
    /// Milliseconds from a window's first answer after which it closes, however few came.
    static let span: Int64 = spanSeconds * 1000
    /// The same in seconds: a caller that comes back later finds its verdict.
    public static let spanSeconds: Int64 = 60

    private(set) var suspects: [Suspect] = []
    private var answers = 0
    private var openedAt: Int64 = 0

    /// When a window that holds suspects closes by itself.
    var closesAt: Int64? { suspects.isEmpty ? nil : openedAt + Self.span }

    /// An answer that says something about its token: a good one, a dead one.
    mutating func answered(now: Int64) -> Verdict? {
        let late = tick(now: now)
        if answers == 0 { openedAt = now }
        answers += 1
        // A window cannot be full right after it has closed.
        return late ?? (answers >= Self.fullCount ? close() : nil)
    }

    /// An answer that refuses its token.
    mutating func refused(_ suspect: Suspect, now: Int64) -> Verdict? {
        // What its time has closed is judged without this one.
        let late = tick(now: now)
        suspects.append(suspect)
        return answered(now: now) ?? late
    }

    /// Closes a window whose time is over.
    mutating func tick(now: Int64) -> Verdict? {
        guard answers > 0, now - openedAt >= Self.span else { return nil }
        return close()
    }

    /// Closes the window now: nothing more will come.
    mutating func close() -> Verdict? {
        defer { self = VerdictWindow() }
        if suspects.isEmpty { return nil }
        if answers >= Self.fullCount, suspects.count * 2 > answers {
            return .misconfigured(reason: suspects.last?.token.reason ?? "")
        }
        return .quarantine(suspects)
    }
}
