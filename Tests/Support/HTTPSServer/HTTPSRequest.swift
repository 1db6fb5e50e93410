/// A request of HTTP/1.1 that a server of the tests has read whole.
package struct HTTPSRequest: Sendable {
    /// The connection's number, from 1 in the order of arrival.
    package let connection: Int
    package let line: String
    /// The fields, names in lower case.
    package let fields: [String: String]
    package let body: [UInt8]

    init?(_ bytes: [UInt8], connection: Int) {
        let end = Array("\r\n\r\n".utf8)
        guard let head = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        // Not split by characters: "\r\n" is one.
        let lines = String(decoding: bytes[..<head], as: UTF8.self).split(separator: "\r\n").map(String.init)
        line = lines.first ?? ""
        fields = lines.dropFirst().reduce(into: [:]) { fields, line in
            guard let colon = line.firstIndex(of: ":") else { return }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            fields[line[..<colon].lowercased()] = String(value)
        }
        let count = fields["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= head + 4 + count else { return nil }
        body = Array(bytes[(head + 4)..<(head + 4 + count)])
        size = head + 4 + count
        self.connection = connection
    }

    let size: Int
}
