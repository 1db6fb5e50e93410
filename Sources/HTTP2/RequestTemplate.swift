import CNGHTTP2

/// What many requests have in common: made once, kept in the form that nghttp2 takes, so a request copies only what differs.
public final class RequestTemplate: Sendable {
    /// The fields whose values each request brings; at most 32.
    public let varying: [VaryingField]
    /// How many fixed fields there are, with the four pseudo-header fields.
    let fixedCount: Int
    /// `:method`, `:scheme`, `:authority`, `:path` (without a value), the fixed fields, the varying ones (without values).
    ///
    /// nonisolated(unsafe): written only by init, freed only by deinit; what it points to is never changed in between.
    nonisolated(unsafe) let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    /// nonisolated(unsafe): as above; holds the bytes of all names and fixed values.
    private nonisolated(unsafe) let text: UnsafeMutableRawBufferPointer

    /// Where `:path` stands in `fields`.
    static let pathIndex = 3

    /// A template.
    ///
    /// - Parameters:
    ///   - authority: host, or host and port, for `:authority`.
    ///   - fields: name (lower case) and value of the fields that all requests have; these enter HPACK's table. At most 64 and 8 KiB.
    ///   - varying: the fields that a request may give a value; one without a value is not sent. At most 32.
    public init(
        method: String = "POST",
        authority: String,
        fields fixed: HeaderFields,
        varying: [VaryingField] = []
    ) {
        precondition(varying.count <= 32, "at most 32 varying fields")
        precondition(fixed.count <= 64 && fixed.size <= 8_192, "at most 64 fixed fields of 8 KiB together")
        self.varying = varying
        var all: [(name: String, value: String, flags: UInt8)] = []
        let noCopyName = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        let noCopy = noCopyName | UInt8(NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        all.append((":method", method, noCopy))
        all.append((":scheme", "https", noCopy))
        all.append((":authority", authority, noCopy))
        all.append((":path", "", noCopyName))
        for (name, value) in fixed.all { all.append((name, value, noCopy)) }
        fixedCount = all.count
        for field in varying {
            let never = field.isNeverIndexed ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
            all.append((field.name, "", noCopyName | never))
        }
        let size = all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        text = .allocate(byteCount: max(size, 1), alignment: 1)
        fields = .allocate(capacity: all.count)
        // From here on only memory of our own is filled; a value's pointer stays good until deinit.
        guard var end = text.bindMemory(to: UInt8.self).baseAddress else { return }
        func place(_ string: String) -> UnsafeMutablePointer<UInt8> {
            let start = end
            for byte in string.utf8 {
                end.initialize(to: byte)
                end += 1
            }
            return start
        }
        for (index, field) in all.enumerated() {
            let entry = nghttp2_nv(
                name: place(field.name),
                value: place(field.value),
                namelen: field.name.utf8.count,
                valuelen: field.value.utf8.count,
                flags: field.flags
            )
            fields.initializeElement(at: index, to: entry)
        }
    }

    deinit {
        fields.deallocate()
        text.deallocate()
    }
}
