/// What is kept of an answer besides its status. Most answers need none.
///
/// Not Sendable: only the connection's thread uses it.
final class StreamAnswer {
    var headers = HeaderFields()
    var body: [UInt8] = []
}
