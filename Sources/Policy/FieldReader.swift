import JSON
import TimeZones

/// Reads the members of one object of an input line. Errors name the field's whole path.
struct FieldReader {
    private let object: JSONObject
    private let path: String

    /// - Throws: if the value is not an object.
    init(_ value: JSONValue, path: String) throws(PolicyError) {
        guard case .object(let object) = value else {
            throw PolicyError(.wrongType, field: path, found: value.typeName, wanted: "an object")
        }
        self.object = object
        self.path = path
    }

    private func pathOf(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    /// A field that may be absent. Null counts as present.
    func optional(_ key: String) -> Field? {
        object[key].map { Field(value: $0, path: pathOf(key)) }
    }

    /// A field that may be absent or null.
    func nullable(_ key: String) -> Field? {
        optional(key).flatMap { $0.isNull ? nil : $0 }
    }

    /// A required field.
    func required(_ key: String, _ wanted: String) throws(PolicyError) -> Field {
        guard let field = optional(key) else {
            throw PolicyError(.missing, field: pathOf(key), found: "nothing", wanted: wanted)
        }
        return field
    }

    /// The elements of an array. Empty if the field is absent.
    func elements(_ key: String) throws(PolicyError) -> [Field] {
        guard let field = optional(key) else { return [] }
        guard case .array(let values) = field.value else { throw field.wrongType("an array") }
        return values.enumerated().map { Field(value: $1, path: "\(field.path)[\($0)]") }
    }
}
