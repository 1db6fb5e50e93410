import Policy

/// For each key the value that counts, parsed, and where it came from.
struct EffectiveValues {
    private(set) var problems: [ConfigurationProblem] = []
    private var values: [String: (parsed: ParsedValue, source: ValueSource)] = [:]
    /// Keys with a value that is wrong: they are not missing, too.
    private(set) var wrong: Set<String> = []

    /// - Parameter layers: raw values by key, in any order; the source's rank decides.
    init(_ layers: [[String: RawValue]]) {
        for key in ConfigurationKey.all {
            let candidates = layers.compactMap { $0[key.name] }
            let raw =
                candidates.max { $0.source.rank < $1.source.rank } ?? RawValue(text: key.standard, source: .standard)
            do throws(ValueParser.Failure) {
                let source = raw.text == nil && !key.takesNone ? ValueSource.standard : raw.source
                values[key.name] = (try ValueParser.parse(raw, for: key), source)
            } catch {
                wrong.insert(key.name)
                values[key.name] = (.none, raw.source)
                problems.append(
                    ConfigurationProblem(
                        at: raw.source,
                        key: key.name,
                        what: error.what,
                        mend: "write \(key.expectation)"
                    )
                )
            }
        }
    }

    func source(_ name: String) -> ValueSource { values[name]?.source ?? .standard }

    func parsed(_ name: String) -> ParsedValue { values[name]?.parsed ?? .none }

    /// Nil for no value, and for a wrong one.
    func text(_ name: String) -> String? {
        if case .text(let text) = parsed(name) { text } else { nil }
    }

    func integer(_ name: String) -> Int? {
        if case .integer(let number) = parsed(name) { number } else { nil }
    }

    func boolean(_ name: String) -> Bool? {
        if case .boolean(let value) = parsed(name) { value } else { nil }
    }

    func duration(_ name: String) -> Duration? {
        if case .duration(let value) = parsed(name) { value } else { nil }
    }

    func wallTime(_ name: String) -> TimeOfDay? {
        if case .wallTime(let time) = parsed(name) { time } else { nil }
    }

    func endpoint(_ name: String) -> Configuration.Endpoint? {
        if case .endpoint(let endpoint) = parsed(name) { endpoint } else { nil }
    }

    /// Forgets a key that a stronger one makes void.
    mutating func drop(_ name: String) {
        values[name] = nil
        problems.removeAll { $0.key == name }
        wrong.remove(name)
    }
}
