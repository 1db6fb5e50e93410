/// Divides the pushes in flight among the lanes: never more than `total` in all, and never all of them for a lane that
/// hangs.
///
/// Half of `total` is reserved in equal parts, one per lane. The other half is free for any lane. A single lane has
/// everything.
package struct FlightBudget: Sendable {
    package let total: Int
    package let lanes: Int

    package init(total: Int, lanes: Int) {
        self.total = total
        self.lanes = lanes
    }

    /// How many more pushes a lane may have in flight.
    ///
    /// - Parameters:
    ///   - own: what this lane has in flight.
    ///   - others: what each other lane has in flight. Idle lanes may be left out.
    package func room(own: Int, others: [Int]) -> Int {
        let reserved = lanes > 1 ? total / (2 * lanes) : 0
        let taken = others.reduce(0) { $0 + max($1, reserved) } + (max(0, lanes - 1 - others.count)) * reserved
        return max(0, total - taken - own)
    }
}
