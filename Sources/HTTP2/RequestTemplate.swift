import CNGHTTP2

/// A header field whose value differs between the requests of one template.
package struct VaryingField: Sendable, Equatable {
    /// In lower case.
    package let name: String
    /// Whether HPACK must not add the value to its table (RFC 7541 section 6.2.3).
    ///
    /// A value that always differs, such as an id, would evict long-lived ones, such as a bearer token.
    package let isNeverIndexed: Bool

    package init(_ name: String, neverIndexed: Bool) {
        self.name = name
        isNeverIndexed = neverIndexed
    }
}

/// What many requests have in common. It is made once in nghttp2's format, so each request copies only what differs.
package final class RequestTemplate: Sendable {
    /// The number of fixed fields, with the four pseudo-header fields.
    let fixedCount: Int
    /// `:method`, `:scheme`, `:authority`, `:path` (without a value), the fixed fields, the varying fields (without
    /// values).
    ///
    /// nonisolated(unsafe): only init writes it and only deinit frees it. The memory never changes in between.
    nonisolated(unsafe) let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    /// The bytes of all names and fixed values. nonisolated(unsafe): as for `fields`.
    private nonisolated(unsafe) let text: UnsafeMutableRawBufferPointer

    /// The index of `:path` in `fields`.
    static let pathIndex = 3

    /// - Parameters:
    ///   - authority: The value of `:authority`: host, or host and port.
    ///   - fixed: The fields that all requests have. HPACK's table keeps them. At most 64 fields and 8 KiB.
    ///   - varying: The fields that a request may set. A field without a value is not sent. At most 32.
    package init(
        method: String = "POST",
        authority: String,
        fields fixed: HeaderFields,
        varying: [VaryingField] = []
    ) {
        precondition(varying.count <= 32, "at most 32 varying fields")
        precondition(fixed.count <= 64 && fixed.size <= 8_192, "at most 64 fixed fields of 8 KiB together")
        let noCopyName = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        let noCopy = noCopyName | UInt8(NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue)
        let never = noCopyName | UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        var all: [(name: String, value: String, flags: UInt8)] = [
            (":method", method, noCopy), (":scheme", "https", noCopy), (":authority", authority, noCopy),
            (":path", "", noCopyName),
        ]
        all += fixed.all.map { ($0.name, $0.value, noCopy) }
        fixedCount = all.count
        all += varying.map { ($0.name, "", $0.isNeverIndexed ? never : noCopyName) }
        let size = all.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        text = .allocate(byteCount: size, alignment: 1)
        fields = .allocate(capacity: all.count)
        // All memory is allocated now. The pointers stay valid until deinit.
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
