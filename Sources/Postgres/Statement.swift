/// One SQL statement with its bound parameters. It is always sent unnamed, so it works through a transaction pooler.
public struct Statement: Sendable {
    /// The name in errors, for example the SQL file's. It never holds user data.
    public let name: String
    /// One SQL statement with its parameters as `$1`, `$2` …
    public let sql: String
    /// The values of `$1`, `$2` …, in that order. At most 65,535.
    public let parameters: [Parameter]

    /// A statement with these values.
    public init(_ name: String, sql: String, parameters: [Parameter] = []) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }
}
