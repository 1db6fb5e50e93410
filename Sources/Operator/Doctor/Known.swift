import Postgres

/// The answer to a question, or why there is none.
enum Known<Value: Sendable>: Sendable {
    case value(Value)
    /// The database refused or did not answer.
    case failed(PostgresError)
    /// The question was not asked. The text continues "not checked: ".
    case unasked(String)

    var value: Value? { if case .value(let value) = self { value } else { nil } }

    /// The finding that `check` makes of the value, or an unchecked one.
    func finding(_ place: Finding.Place, _ check: (Value) -> Finding) -> Finding {
        findings(place) { [check($0)] }[0]
    }

    /// The findings that `check` makes of the value, at least one, or an unchecked one.
    func findings(_ place: Finding.Place, _ check: (Value) -> [Finding]) -> [Finding] {
        switch self {
        case .value(let value):
            let found = check(value)
            return found.isEmpty ? [place.ok("nothing to report")] : found
        case .failed(let error): return [place.unchecked(error.description)]
        case .unasked(let why): return [place.unchecked(why)]
        }
    }
}
