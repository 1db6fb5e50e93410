import APNs

/// A lane and what its sender needs.
struct LaneConfiguration: Sendable, Equatable {
    let identity: LaneIdentity
    let sender: SenderConfiguration
}
