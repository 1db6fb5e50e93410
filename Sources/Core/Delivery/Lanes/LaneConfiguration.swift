package import APNs

/// A lane and what its sender needs.
package struct LaneConfiguration: Sendable, Equatable {
    package let identity: LaneIdentity
    package let sender: SenderConfiguration

    package init(identity: LaneIdentity, sender: SenderConfiguration) {
        self.identity = identity
        self.sender = sender
    }
}
