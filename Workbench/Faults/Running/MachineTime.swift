/// Time that passes only while the machine runs everybody who can run. Promised times are measured in it, so that a busy
/// machine breaks no promise. On a machine with a free processor it passes like time on the wall.
///
/// Pure: `MachineClock` reads the clocks and calls `tick`.
struct MachineTime: Sendable, Equatable {
    /// All in microseconds.
    private(set) var microseconds: Int64 = 0
    private var last: (wall: Int64, waited: Int64)?
    /// Time in which somebody waited for a processor and that is not subtracted yet.
    private var owed: Int64 = 0

    /// A longer gap between two ticks is a standstill of this process, and most likely of all the others. Only so much
    /// of it counts.
    static let longestTick: Int64 = 100_000
    /// The kernel may add to its count later than the time passed: at most so much later.
    private static let mostOwed: Int64 = 2_000_000

    /// - Parameters:
    ///   - wall: a clock that never steps.
    ///   - waited: for how long so far somebody had to wait for a processor.
    /// - Returns: the time since the last tick.
    @discardableResult
    mutating func tick(wall: Int64, waited: Int64) -> Int64 {
        defer { last = (wall, waited) }
        guard let last, wall > last.wall else { return 0 }
        let counted = min(wall - last.wall, Self.longestTick)
        let more = max(0, waited - last.waited)
        // Who waited in a standstill waited in time that doesn't count. Short waits delay nobody noticeably.
        if counted == wall - last.wall, more >= counted / 4 { owed = min(owed + more, Self.mostOwed) }
        let paid = min(owed, counted)
        owed -= paid
        microseconds += counted - paid
        return wall - last.wall
    }

    static func == (left: MachineTime, right: MachineTime) -> Bool { left.microseconds == right.microseconds }
}
