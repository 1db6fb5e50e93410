import Postgres

/// A fact that was asked for, or why it isn't known.
enum Known<Value: Sendable>: Sendable {
    case value(Value)
    /// The database refused or didn't answer.
    case failed(PostgresError)
    /// It was not asked for; why, going on after "not checked: ".
    case unasked(String)

    var value: Value? { if case .value(let value) = self { value } else { nil } }

    /// A finding of the value, or that it is not known.
    func finding(_ place: Finding.Place, _ judge: (Value) -> Finding) -> Finding {
        findings(place) { [judge($0)] }[0]
    }

    /// Findings of the value, at least one, or that it is not known.
    func findings(_ place: Finding.Place, _ judge: (Value) -> [Finding]) -> [Finding] {
        switch self {
        case .value(let value):
            let found = judge(value)
            return found.isEmpty ? [place.ok("nothing to say")] : found
        case .failed(let error): return [place.unchecked(error.description)]
        case .unasked(let why): return [place.unchecked(why)]
        }
    }
}
