import JSON

/// A command of a vector, in parts: plain ones, and those with a value (`key=value`).
struct PlanLine {
    private(set) var words: [String] = []
    private(set) var values: [(key: String, value: String)] = []

    var isEmpty: Bool { words.isEmpty && values.isEmpty }

    struct Malformed: Error {
        let what: String
    }

    /// The line's commands, which `; ` separates.
    static func all(in line: Substring) throws -> [PlanLine] {
        var (all, word, depth, isQuoted, isEscaped) = ([PlanLine()], "", 0, false, false)
        for character in line + " " {
            if character == " ", depth == 0, !isQuoted {
                let isLast = word.hasSuffix(";")
                if !word.isEmpty { try all[all.count - 1].add(isLast ? String(word.dropLast()) : word) }
                if isLast { all.append(PlanLine()) }
                word = ""
                continue
            }
            word.append(character)
            if isQuoted {
                if character == "\"", !isEscaped { isQuoted = false }
                isEscaped = character == "\\" && !isEscaped
            } else if character == "\"" {
                isQuoted = true
            } else if "{[".contains(character) {
                depth += 1
            } else if "}]".contains(character) {
                depth -= 1
            }
        }
        guard word.isEmpty else { throw Malformed(what: "it does not end: \(line)") }
        return all
    }

    private mutating func add(_ word: String) throws {
        let key = word.prefix { $0 != "=" && !"{[\"".contains($0) }
        guard key.endIndex < word.endIndex, word[key.endIndex] == "=" else { return words.append(word) }
        let value = word[word.index(after: key.endIndex)...]
        values.append(
            (String(key), value.hasPrefix("\"") ? try JSONValue(parsing: String(value)).text ?? "" : String(value))
        )
    }

    mutating func word() throws -> String {
        guard !words.isEmpty else { throw Malformed(what: "a word is missing") }
        return words.removeFirst()
    }

    mutating func number<Number: FixedWidthInteger>() throws -> Number { try Self.number(word()) }

    static func number<Number: FixedWidthInteger>(_ text: some StringProtocol) throws -> Number {
        guard let number = Number(text) else { throw Malformed(what: "no number: \(text)") }
        return number
    }

    mutating func rest() -> [String] {
        defer { words = [] }
        return words
    }

    mutating func has(_ word: String) -> Bool {
        guard let place = words.firstIndex(of: word) else { return false }
        words.remove(at: place)
        return true
    }

    mutating func value(_ key: String) -> String? {
        values.firstIndex { $0.key == key }.map { values.remove(at: $0).value }
    }

    mutating func allValues() -> [(key: String, value: String)] {
        defer { values = [] }
        return values
    }

    /// Nothing may be left that a command did not take.
    func end() throws {
        guard isEmpty else {
            throw Malformed(what: "not known here: \((words + values.map(\.key)).joined(separator: ", "))")
        }
    }

    /// The values as members of a JSON object. What is no JSON is a text.
    mutating func object(after members: [(key: String, value: String)] = []) -> String {
        var members = members
        for (key, value) in allValues() {
            let json = (try? JSONValue(parsing: value)) == nil ? "\"\(value)\"" : value
            if let known = members.firstIndex(where: { $0.key == key }) {
                members[known].value = json
            } else {
                members.append((key, json))
            }
        }
        return "{\(members.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ","))}"
    }
}
