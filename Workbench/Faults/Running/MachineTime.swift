import Base
import Dispatch
import Glibc
import LocalPostgres

/// Time that passes only while the machine runs everybody who can run. Promised times are measured in it, so that a busy
/// machine breaks no promise. On a machine with a free processor it passes like time on the wall.
///
/// Pure: `MachineClock` reads the clocks and calls `tick`.
struct MachineTime: Sendable {
    /// All in microseconds.
    private(set) var microseconds: Int64 = 0
    private var last: (wall: Int64, waited: Int64)?
    /// Time in which somebody waited for a processor and that is not subtracted yet.
    private var owed: Int64 = 0

    /// Only so much of a longer gap counts: it is a standstill of this process, most likely of all.
    static let longestTick: Int64 = 100_000
    /// The kernel may add to its count later than the time passed: at most so much later.
    private static let mostOwed: Int64 = 2_000_000

    /// `waited`: the total time so far in which somebody waited for a processor. Returns the time since the last tick.
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
}

/// The machine's `MachineTime`, from `/proc/pressure/cpu`. Without that file only standstills are left out.
final class MachineClock: Sendable {
    static let shared = {
        let clock = MachineClock()
        // A thread of its own, which lasts as long as the program.
        DispatchQueue(label: "nudged.faults.clock").async {
            while true {
                clock.tick()
                usleep(20_000)
            }
        }
        return clock
    }()

    private let state = Mutex((time: MachineTime(), gaps: [ClosedRange<Int64>]()))
    private static let notedGap: Int64 = 1_000_000

    private init() {}

    /// When this process, and most likely the whole machine, stood still: milliseconds since 1970.
    var standstills: [ClosedRange<Int64>] { state.withLock { $0.gaps } }

    /// Milliseconds of machine time since the clock's start.
    var milliseconds: Int64 {
        tick()
        return state.withLock { $0.time.microseconds / 1000 }
    }

    private func tick() {
        let waited = Self.waited()
        state.withLock { state in
            let gap = state.time.tick(wall: MonotonicTime.microseconds(), waited: waited)
            let end = WallTime.milliseconds()
            if gap >= Self.notedGap { state.gaps.append(end - gap / 1000...end) }
        }
    }

    /// Microseconds in which at least one process had to wait for a processor: `total=` of the line `some`.
    private static func waited() -> Int64 {
        guard let text = TextFile.read("/proc/pressure/cpu"), let line = text.split(separator: "\n").first,
            let total = line.split(separator: " ").first(where: { $0.hasPrefix("total=") })
        else { return 0 }
        return Int64(total.dropFirst(6)) ?? 0
    }
}

struct Moment: Sendable {
    /// Milliseconds since 1970.
    let at: Int64
    /// Milliseconds of machine time.
    let machine: Int64

    static var now: Moment { Moment(at: WallTime.milliseconds(), machine: MachineClock.shared.milliseconds) }

    /// Milliseconds of machine time since then, and at least a tenth of the time on the wall. So a daemon that keeps the
    /// processors busy itself breaks its promise too.
    var elapsed: Int64 {
        let passed = MachineClock.shared.milliseconds - machine
        let still = MachineClock.shared.standstills.filter { $0.upperBound > at }
            .reduce(0) { $0 + $1.upperBound - max(at, $1.lowerBound) }
        return max(passed, (WallTime.milliseconds() - at - still) / 10)
    }
}
