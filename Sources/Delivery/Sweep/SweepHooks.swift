/// Where a test can hold a sweep or end the process. Nil in what ships.
package struct SweepHooks: Sendable {
    /// Told of every place that a sweep reaches.
    package var onReach: (@Sendable (FailPoint) async -> Void)?

    package init() {}

    /// The sweep is at this place.
    func reach(_ point: FailPoint) async { await onReach?(point) }

    /// The same from a callback, which waits for nothing.
    func pass(_ point: FailPoint) {
        guard let onReach else { return }
        Task { await onReach(point) }
    }
}
