package import Testing

/// A database of a test.
package protocol TestDatabase {
    /// The rows: one line each, columns separated by `|`.
    @discardableResult
    func sql(_ text: String) throws -> String
}

extension TestDatabase {
    package func lines(_ text: String) throws -> [String] { try sql(text).split(separator: "\n").map(String.init) }

    /// A statement answers with this. For statements that are too long for a line with `#expect`.
    package func expect(_ statement: String, _ output: String, at location: SourceLocation = #_sourceLocation) throws {
        #expect(try sql(statement) == output, "\(statement)", sourceLocation: location)
    }

    /// A statement answers with these rows.
    package func expect(_ statement: String, _ rows: [String], at location: SourceLocation = #_sourceLocation) throws {
        #expect(try lines(statement) == rows, "\(statement)", sourceLocation: location)
    }
}
