/// Where a test can hold a sweep or kill the process. nil in release builds.
package struct SweepHooks: Sendable {
    /// Called at each fail point.
    package var onReach: (@Sendable (FailPoint) async -> Void)?

    package init() {}

    func reach(_ point: FailPoint) async { await onReach?(point) }

    /// Calls the hook from a callback, without waiting for it.
    func pass(_ point: FailPoint) {
        guard let onReach else { return }
        Task { await onReach(point) }
    }
}
