import APNs

extension PushOutcome {
    /// Whether it was written to Apple, whatever the outcome.
    var wasWritten: Bool {
        if case .unsent = self { false } else { true }
    }
}
