import Glibc
public import Logging
import Locks

/// Where log lines go, shared by all handlers of a process: the journal where standard error leads there, else standard error.
public final class LogOutput: Sendable {
    /// Nil: human form on standard error.
    private let journal: Journal?
    private let stream: DiagnosticStream
    private let now: @Sendable () -> Int64
    /// `untold`: lost lines that no later line has told of.
    private let state: Mutex<(level: Logger.Level, lost: Int, untold: Int)>

    /// - Parameters:
    ///   - environment: `JOURNAL_STREAM` decides; see `Journal.isConnected`.
    ///   - level: what is logged at least; changed by `setLevel` at a reload.
    public convenience init(environment: [String: String], level: Logger.Level = .info) {
        let journal = Journal.isConnected(environment: environment) ? Journal() : nil
        self.init(journal: journal, descriptor: STDERR_FILENO, level: level, now: { Int64(time(nil)) })
    }

    /// - Parameters:
    ///   - journal: nil for the human form on `descriptor`.
    ///   - descriptor: borrowed, not closed.
    ///   - now: seconds since 1970, for the human form; the journal stamps entries itself.
    public init(journal: Journal?, descriptor: Int32, level: Logger.Level, now: @escaping @Sendable () -> Int64) {
        self.journal = journal
        self.now = now
        stream = DiagnosticStream(descriptor: descriptor)
        state = Mutex((level, 0, 0))
    }

    /// What is logged at least, for every handler that wasn't given a level of its own.
    public var level: Logger.Level { state.withLock { $0.level } }

    /// Changes the level from the next line on.
    public func setLevel(_ level: Logger.Level) {
        state.withLock { $0.level = level }
    }

    /// Lines that could not be written anywhere.
    public var lost: Int { state.withLock { $0.lost } }

    /// Whether lines go to the journal.
    public var isJournal: Bool { journal != nil }

    /// Writes a line; the first one after some that were lost tells how many, as `lost_lines`.
    func write(_ record: LogRecord) {
        var record = record
        let untold = state.withLock { state in
            defer { state.untold = 0 }
            return state.untold
        }
        if untold > 0 { record.metadata.append(("lost_lines", "\(untold)")) }
        if let journal, journal.send(record.entry()) { return }
        // Where journald is gone, standard error is a broken stream as a rule; then the line is counted as lost.
        if stream.write(record.humanLine(at: now())) { return }
        state.withLock { state in
            state.lost += 1
            state.untold += untold + 1
        }
    }
}
