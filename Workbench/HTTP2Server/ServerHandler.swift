import Base

/// Handles a server's connections and requests. The methods run on the server's thread and must return soon.
package protocol ServerHandler: AnyObject, Sendable {
    func connectionOpened(_ connection: ServerConnection)
    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply
    func connectionClosed(_ connection: ServerConnection)
}

extension ServerHandler {
    package func connectionOpened(_ connection: ServerConnection) {}
    package func connectionClosed(_ connection: ServerConnection) {}
}

package struct ServerRequest: Sendable {
    /// Its stream id, which is odd (RFC 9113 section 5.1.1).
    package let streamID: Int32
    package let headers: HeaderFields
    package let body: [UInt8]

    package var method: String { headers[":method"] ?? "" }
    package var path: String { headers[":path"] ?? "" }
}

/// Header fields (RFC 9110 section 5) in order, repetitions too. Names are in lower case.
package struct HeaderFields: Sendable, ExpressibleByDictionaryLiteral {
    package private(set) var all: [(name: String, value: String)] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) { elements.forEach { append($0, $1) } }

    package var count: Int { all.count }

    /// The first value of the field. Nil if there is no such field.
    package subscript(name: String) -> String? { all.first { $0.name == name }?.value }

    /// Adds a field. A name or value over 65,535 bytes is left out.
    package mutating func append(_ name: String, _ value: String) {
        if name.utf8.count <= 0xFFFF, value.utf8.count <= 0xFFFF { all.append((name, value)) }
    }
}

package indirect enum ServerReply: Sendable {
    case respond(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [])
    /// Answers but never ends the stream: HEADERS and DATA without END_STREAM.
    case unfinished(status: Int, body: [UInt8] = [])
    case informational(status: Int, then: ServerReply)
    /// Resets the stream with this code (RFC 9113 section 7; 7 is REFUSED_STREAM).
    case reset(code: UInt32)
    /// Doesn't answer; `ServerConnection.reply` may do so later.
    case silence
    case delayed(Duration, then: ServerReply)
}

package struct ServerCounters: Sendable, Equatable {
    package var accepted = 0
    package var closed = 0
    /// Streams that a client began: HEADERS arrived, the whole request perhaps not.
    package var begun = 0
    package var resetsReceived = 0
    package var pingsReceived = 0
    package var pongsReceived = 0
}

/// A server's counters. Its sessions share them, and any thread may read them.
final class LiveCounters: Sendable { let now = Mutex(ServerCounters()) }
