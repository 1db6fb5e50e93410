/// Where a test can hold a sweep, kill the process, or change a pace. nil in release builds.
package struct SweepHooks: Sendable {
    /// Called at each fail point.
    package var onReach: (@Sendable (FailPoint) async -> Void)?

    /// How often a membership is renewed; nil: six times in a lease.
    package var renewalMilliseconds: Int64?

    package init() {}

    func reach(_ point: FailPoint) async { await onReach?(point) }

    /// Calls the hook from a callback, without waiting for it.
    func pass(_ point: FailPoint) {
        guard let onReach else { return }
        Task { await onReach(point) }
    }
}
