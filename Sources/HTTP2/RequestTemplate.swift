import CNGHTTP2

/// What many requests have in common. It is made once in nghttp2's format, so each request copies only what differs.
public final class RequestTemplate: Sendable {
    /// The fields whose values each request sets. At most 32.
    public let varying: [VaryingField]
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

    /// A template for requests.
    ///
    /// - Parameters:
    ///   - method: The value of `:method`.
    ///   - authority: The value of `:authority`: host, or host and port.
    ///   - fixed: Names (lower case) and values of the fields that all requests have. HPACK's table keeps them. At most
    ///     64 fields and 8 KiB.
    ///   - varying: The fields that a request may set. A field without a value is not sent. At most 32.
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
