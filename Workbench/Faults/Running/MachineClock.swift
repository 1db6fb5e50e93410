import Base
import Dispatch
import Glibc
import Synchronization

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

    private let time = Mutex(MachineTime())
    private let gaps = Mutex<[ClosedRange<Int64>]>([])
    /// A gap of at least so many microseconds is noted.
    private static let notedGap: Int64 = 1_000_000

    private init() {}

    /// When this process, and most likely the whole machine, stood still: milliseconds since 1970.
    var standstills: [ClosedRange<Int64>] { gaps.withLock { $0 } }

    /// Milliseconds of machine time since the clock's start.
    var milliseconds: Int64 {
        tick()
        return time.withLock { $0.microseconds / 1000 }
    }

    private func tick() {
        let waited = Self.waited()
        let gap = time.withLock { time in
            time.tick(wall: MonotonicTime.microseconds(), waited: waited)
        }
        guard gap >= Self.notedGap else { return }
        let end = WallTime.milliseconds()
        gaps.withLock { $0.append(end - gap / 1000...end) }
    }

    /// Microseconds in which at least one process had to wait for a processor: `total=` of the line `some`.
    private static func waited() -> Int64 {
        guard let text = SmallFile.read("/proc/pressure/cpu"), let line = text.split(separator: "\n").first,
            let total = line.split(separator: " ").first(where: { $0.hasPrefix("total=") })
        else { return 0 }
        return Int64(total.dropFirst(6)) ?? 0
    }
}

/// An instant by both clocks.
public struct Moment: Sendable {
    /// Milliseconds since 1970.
    public let at: Int64
    /// Milliseconds of machine time.
    let machine: Int64

    /// Now.
    public static var now: Moment {
        Moment(at: WallTime.milliseconds(), machine: MachineClock.shared.milliseconds)
    }

    /// Milliseconds of machine time since then, and at least a tenth of the time on the wall. So a daemon that keeps the
    /// processors busy itself breaks its promise too.
    public var elapsed: Int64 {
        let passed = MachineClock.shared.milliseconds - machine
        let still = MachineClock.shared.standstills.filter { $0.upperBound > at }
            .reduce(0) { $0 + $1.upperBound - max(at, $1.lowerBound) }
        return max(passed, (WallTime.milliseconds() - at - still) / 10)
    }
}
