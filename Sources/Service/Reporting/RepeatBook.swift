import Systemd

/// Lets so many lines of a kind through within a time, as their event says, and counts the others. Pure: the reporter performs.
struct RepeatBook: Sendable {
    /// Lines that were kept back within a time that is over.
    struct Held: Sendable, Equatable {
        let event: Event
        /// What tells the event's kinds apart: a reason, a lane.
        let about: String
        let count: Int
        /// The time that the event's definition names.
        let seconds: Int64
    }

    private struct Kind: Hashable {
        let event: Event
        let about: String
    }

    private struct Window {
        let beganAt: Int64
        var said = 1
        var held = 0
    }

    private var windows: [Kind: Window] = [:]
    /// Kinds at a time. Past it all windows end early: what was held is told, and nothing is forgotten.
    static let most = 1_000

    /// Whether the line is said, and what is told before it.
    ///
    /// - Parameter now: CLOCK_BOOTTIME milliseconds.
    mutating func admit(_ event: Event, about: String, now: Int64) -> (isSaid: Bool, before: [Held]) {
        guard let repeats = event.repeats else { return (true, []) }
        let kind = Kind(event: event, about: about)
        if var window = windows[kind], now - window.beganAt < repeats.seconds * 1000 {
            let isSaid = window.said < repeats.lines
            if isSaid { window.said += 1 } else { window.held += 1 }
            windows[kind] = window
            return (isSaid, [])
        }
        let before = windows.count < Self.most ? held(windows.removeValue(forKey: kind), kind) : endAll()
        windows[kind] = Window(beganAt: now)
        return (true, before)
    }

    /// What was kept back in windows that are over now; they are forgotten.
    mutating func ended(now: Int64) -> [Held] {
        let over = windows.filter { kind, window in
            kind.event.repeats.map { now - window.beganAt >= $0.seconds * 1000 } ?? true
        }
        for kind in over.keys { windows[kind] = nil }
        return inOrder(over)
    }

    /// All that was kept back: for the end.
    mutating func endAll() -> [Held] {
        defer { windows = [:] }
        return inOrder(windows)
    }

    private func inOrder(_ windows: [Kind: Window]) -> [Held] {
        windows.flatMap { held($0.value, $0.key) }.sorted { ($0.event.name, $0.about) < ($1.event.name, $1.about) }
    }

    private func held(_ window: Window?, _ kind: Kind) -> [Held] {
        guard let window, window.held > 0, let repeats = kind.event.repeats else { return [] }
        return [Held(event: kind.event, about: kind.about, count: window.held, seconds: repeats.seconds)]
    }
}
