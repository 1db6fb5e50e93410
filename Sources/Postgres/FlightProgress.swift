/// What has come back of a flight of statements; a value, so that the order of libpq's answers can be tested without it.
///
/// libpq gives for each statement its result or error and then nil, and after the last one the synchronisation point. An
/// error of the implicit commit (a deferred constraint) comes between the two.
struct FlightProgress {
    private let statements: [String]
    private var ended = 0
    private(set) var rows: [Rows] = []
    /// The first error; the later ones only follow from it.
    private(set) var failure: PostgresError?
    private(set) var isComplete = false

    init(statements: [String]) {
        self.statements = statements
    }

    /// The statement whose answer comes next; nil at the commit.
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
