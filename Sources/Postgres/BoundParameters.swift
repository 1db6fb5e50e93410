import struct FoundationEssentials.UUID

/// The parameters of one statement in PostgreSQL's binary format. They are in one buffer, which libpq copies once.
struct BoundParameters {
    private(set) var types: [UInt32] = []
    /// The length in bytes. -1 is NULL.
    private(set) var lengths: [Int32] = []
    private var offsets: [Int] = []
    private var bytes: [UInt8] = []

    init(_ statement: Statement) throws(PostgresError) {
        let parameters = statement.parameters
        // The Bind message has 16 bits for the number of parameters.
        guard parameters.count <= 65_535 else { throw PostgresError(.invalidParameter, statement: statement.name) }
        types.reserveCapacity(parameters.count)
        lengths.reserveCapacity(parameters.count)
        offsets.reserveCapacity(parameters.count)
        for parameter in parameters {
            types.append(parameter.type.rawValue)
            offsets.append(bytes.count)
            if case .null = parameter {
                lengths.append(-1)
                continue
            }
            let fits = encode(parameter)
            guard fits, let length = Int32(exactly: bytes.count - (offsets.last ?? 0)) else {
                throw PostgresError(.invalidParameter, statement: statement.name)
            }
            lengths.append(length)
        }
        // An empty value still needs an address, because a null pointer means NULL.
        bytes.append(0)
    }

    /// Calls `body` with the pointers for PQsendQueryParams. They are valid only during that call.
    func withPointers<R>(_ body: ([UnsafePointer<CChar>?]) -> R) -> R {
        bytes.withUnsafeBytes { raw in
            let base = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers = zip(offsets, lengths).map { offset, length in
                length < 0 ? nil : base.map { $0 + offset }
            }
            return body(pointers)
        }
    }

    /// Returns false if the value can't be encoded.
    private mutating func encode(_ parameter: Parameter) -> Bool {
        switch parameter {
        case .int2(let value): append(value)
        case .int4(let value): append(value)
        case .int8(let value): append(value)
        case .float8(let value): append(value.bitPattern)
        case .bool(let value): bytes.append(value ? 1 : 0)
        case .text(let value): bytes.append(contentsOf: value.utf8)
        case .uuid(let value): append(value)
        case .timestamp(let value): return appendTimestamp(value)
        case .date(let value): return appendDate(value)
        case .bytea(let value): bytes.append(contentsOf: value)
        case .json(let value): appendJSON(value)
        case .null: break
        default: return encodeArray(parameter)
        }
        return true
    }

    private mutating func encodeArray(_ parameter: Parameter) -> Bool {
        switch parameter {
        case .int2Array(let values): return fixed(values, of: .int2, width: 2) { $0.bigEndian }
        case .int4Array(let values): return fixed(values, of: .int4, width: 4) { $0.bigEndian }
        case .int8Array(let values): return fixed(values, of: .int8, width: 8) { $0.bigEndian }
        case .float8Array(let values): return fixed(values, of: .float8, width: 8) { $0.bitPattern.bigEndian }
        case .boolArray(let values): return fixed(values, of: .bool, width: 1) { UInt8($0 ? 1 : 0) }
        case .textArray(let values):
            return array(values, of: .text, width: 32) { $0.bytes.append(contentsOf: $1.utf8) }
        case .uuidArray(let values): return fixed(values, of: .uuid, width: 16) { $0.uuid }
        case .timestampArray(let values):
            return fixed(values, of: .timestamptz, width: 8) { PostgresEpoch.toServer(microseconds: $0)?.bigEndian }
        case .dateArray(let values):
            return fixed(values, of: .date, width: 4) { PostgresEpoch.toServer(days: $0)?.bigEndian }
        case .byteaArray(let values):
            return array(values, of: .bytea, width: 32) { $0.bytes.append(contentsOf: $1) }
        case .jsonArray(let values): return array(values, of: .jsonb, width: 64) { $0.appendJSON($1) }
        default: return false
        }
    }

    /// Elements of one length, written in one pass: a settlement binds about thirty of these lists.
    ///
    /// - Parameter encode: Returns the element's bytes as they are in memory. Nil if it can't be encoded.
    private mutating func fixed<Element, Bytes: BitwiseCopyable>(
        _ values: [Element?],
        of type: PostgresType,
        width: Int,
        _ encode: (Element) -> Bytes?
    ) -> Bool {
        guard beginArray(values, of: type) else { return false }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: values.count * (4 + width)))
        let length = Int32(truncatingIfNeeded: width).bigEndian
        var isExpressed = true
        let end = bytes.withUnsafeMutableBytes { raw in
            var place = start
            for value in values {
                guard let value else {
                    raw.storeBytes(of: Int32(-1), toByteOffset: place, as: Int32.self)
                    place += 4
                    continue
                }
                guard let element = encode(value) else {
                    isExpressed = false
                    break
                }
                raw.storeBytes(of: length, toByteOffset: place, as: Int32.self)
                raw.storeBytes(of: element, toByteOffset: place + 4, as: Bytes.self)
                place += 4 + width
            }
            return place
        }
        bytes.removeLast(bytes.count - end)
        return isExpressed
    }

    private mutating func array<Element>(
        _ values: [Element?],
        of type: PostgresType,
        width: Int,
        _ encode: (inout BoundParameters, Element) -> Void
    ) -> Bool {
        guard beginArray(values, of: type) else { return false }
        bytes.reserveCapacity(bytes.count + values.count * (4 + width))
        for value in values {
            guard let value else {
                append(Int32(-1))
                continue
            }
            let start = bytes.count
            append(Int32(0))
            encode(&self, value)
            guard let length = Int32(exactly: bytes.count - start - 4) else { return false }
            withUnsafeBytes(of: length.bigEndian) { raw in
                for index in 0..<4 { bytes[start + index] = raw[index] }
            }
        }
        return true
    }

    /// The head of array_recv's format: dimensions, a flag for NULLs and the element's OID, then size and lower bound
    /// of the dimension. Each element follows as length and bytes. An empty array has no dimension. Returns false if
    /// there are too many elements.
    private mutating func beginArray<Element>(_ values: [Element?], of type: PostgresType) -> Bool {
        guard let count = Int32(exactly: values.count) else { return false }
        append(Int32(count == 0 ? 0 : 1))
        append(Int32(values.contains { $0 == nil } ? 1 : 0))
        append(type.rawValue)
        if count == 0 { return true }
        append(count)
        append(Int32(1))
        return true
    }

    private mutating func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(_ value: UUID) {
        withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    }

    private mutating func appendTimestamp(_ unix: Int64) -> Bool {
        guard let value = PostgresEpoch.toServer(microseconds: unix) else { return false }
        append(value)
        return true
    }

    private mutating func appendDate(_ unix: Int32) -> Bool {
        guard let value = PostgresEpoch.toServer(days: unix) else { return false }
        append(value)
        return true
    }

    /// jsonb's binary format: a version byte, then the JSON text (jsonb_recv).
    private mutating func appendJSON(_ text: String) {
        bytes.append(1)
        bytes.append(contentsOf: text.utf8)
    }
}
