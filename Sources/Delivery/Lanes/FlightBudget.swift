/// How the pushes in flight are shared out among lanes: never more than `total` in all (promise 3), and a lane that hangs never has them all.
///
/// Half of them is reserved, an equal part for each lane; the other half is whoever's that needs it. A single lane has everything.
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
    ///   - own: what the lane has in flight.
    ///   - others: what each other lane that has any has in flight.
    package func room(own: Int, others: [Int]) -> Int {
        let reserved = lanes > 1 ? total / (2 * lanes) : 0
        let taken = others.reduce(0) { $0 + max($1, reserved) } + (max(0, lanes - 1 - others.count)) * reserved
        return max(0, total - taken - own)
    }
}
