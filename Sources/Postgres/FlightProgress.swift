/// The answers to a flight of statements so far. It is a value, so that tests can check the order of libpq's answers
/// without libpq.
///
/// For each statement libpq gives its result or error and then nil. After the last one it gives the synchronisation
/// point. An error of the implicit commit (a deferred constraint) comes between them.
struct FlightProgress {
    private let statements: [String]
    private var ended = 0
    private(set) var rows: [Rows] = []
    /// The first error. Later ones only follow from it.
    private(set) var failure: PostgresError?
    private(set) var isComplete = false

    init(statements: [String]) {
        self.statements = statements
    }

    /// The statement whose answer comes next. Nil at the commit.
    var currentStatement: String? { ended < statements.count ? statements[ended] : nil }

    mutating func succeeded(_ rows: Rows) { self.rows.append(rows) }
    mutating func failed(_ error: PostgresError) { failure = failure ?? error }
    mutating func statementEnded() { ended += 1 }

    mutating func synchronised() {
        isComplete = true
        if failure == nil, rows.count != statements.count {
            failure = PostgresError(
                .unexpectedResult,
                detail: "\(rows.count) results of \(statements.count) statements"
            )
        }
    }
}
