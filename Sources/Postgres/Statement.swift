/// One SQL statement with its bound parameters. It is always sent unnamed, so it works through a transaction pooler.
public struct Statement: Sendable {
    /// What errors call it: the SQL file's name, for example. Never holds user data.
    public let name: String
    /// One SQL statement; parameters stand in it as `$1`, `$2` …
    public let sql: String
    /// The values of `$1`, `$2` …, in that order; at most 65,535.
    public let parameters: [Parameter]

    /// A statement called `name` in errors.
    public init(_ name: String, sql: String, parameters: [Parameter] = []) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }
}
