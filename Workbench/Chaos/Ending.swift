import APNs

/// An outcome as the comparison sees it.
public enum Ending: UInt8, Sendable, CaseIterable {
    /// None yet.
    case open
    /// Apple took it.
    case accepted
    /// Apple answered and did not take it, or it was wrong before it was sent.
    case refused
    /// Apple answered that it would not now.
    case delayed
    /// Surely not processed.
    case unsent
    /// Nobody knows.
    case unknown

    /// One line a case of `PushOutcome`.
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
    /// The status that the outcome says Apple answered; nil where it says none.
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
