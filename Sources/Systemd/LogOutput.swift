import Glibc
public import Logging
import Base

/// The destination of log lines, shared by all handlers of a process: the journal if standard error goes there, else
/// standard error.
public final class LogOutput: Sendable {
    /// Nil: text on standard error.
    private let journal: Journal?
    private let stream: DiagnosticStream
    private let now: @Sendable () -> Int64
    /// `untold`: lost lines that no later line has reported.
    private let state: Mutex<(level: Logger.Level, lost: Int, untold: Int)>

    /// - Parameters:
    ///   - environment: `JOURNAL_STREAM` decides, see `Journal.isConnected`.
    ///   - level: The lowest level that is logged. `setLevel` changes it at a reload.
    public convenience init(environment: [String: String], level: Logger.Level = .info) {
        let journal = Journal.isConnected(environment: environment) ? Journal() : nil
        self.init(journal: journal, descriptor: STDERR_FILENO, level: level, now: { Int64(time(nil)) })
    }

    /// - Parameters:
    ///   - journal: Nil for text on `descriptor`.
    ///   - descriptor: Borrowed, not closed.
    ///   - now: Seconds since 1970, for the text form. The journal adds its own time.
    public init(journal: Journal?, descriptor: Int32, level: Logger.Level, now: @escaping @Sendable () -> Int64) {
        self.journal = journal
        self.now = now
        stream = DiagnosticStream(descriptor: descriptor)
        state = Mutex((level, 0, 0))
    }

    /// The lowest level that is logged, for every handler without its own level.
    public var level: Logger.Level { state.withLock { $0.level } }

    /// Changes the level from the next line on.
    public func setLevel(_ level: Logger.Level) {
        state.withLock { $0.level = level }
    }

    /// The number of lines that could not be written anywhere.
    public var lost: Int { state.withLock { $0.lost } }

    /// Whether lines go to the journal.
    public var isJournal: Bool { journal != nil }

    /// Writes a line. The first line after lost ones gives their number in `lost_lines`.
    func write(_ record: LogRecord) {
        var record = record
        let untold = state.withLock { state in
            defer { state.untold = 0 }
            return state.untold
        }
        if untold > 0 { record.metadata.append(("lost_lines", "\(untold)")) }
        if let journal, journal.send(record.entry()) { return }
        // Without journald, standard error is usually a broken stream too. Then the line counts as lost.
        if stream.write(record.humanLine(at: now())) { return }
        state.withLock { state in
            state.lost += 1
            state.untold += untold + 1
        }
    }
}
