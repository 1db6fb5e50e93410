import APNs

/// An outcome as the comparison needs it.
public enum Ending: UInt8, Sendable, CaseIterable {
    /// No outcome yet.
    case open
    /// Apple accepted it.
    case accepted
    /// Apple refused it, or it was invalid before it was sent.
    case refused
    /// Apple asked to come back later.
    case delayed
    /// Apple certainly did not process it.
    case unsent
    /// Apple may or may not have accepted it.
    case unknown

    init(_ outcome: PushOutcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .rejected, .suspect: self = .refused
        case .delayed: self = .delayed
        case .unsent: self = .unsent
        case .unknown: self = .unknown
        }
    }
}

extension PushOutcome {
    /// The status that Apple answered by this outcome; nil if it names none.
    var answeredStatus: Int? {
        switch self {
        case .accepted: 200
        case .rejected(let status, _, _): status
        case .suspect(let status, _): status
        case .delayed(_, let status, _): status
        case .unsent, .unknown: nil
        }
    }
}
