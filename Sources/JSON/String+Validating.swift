extension String {
    /// The text of UTF-8 bytes. Nil if they are not valid.
    ///
    /// The standard library has `init(validating:as:)`, but only on systems since 2024. Apps that use `NudgedKit` also
    /// run on older ones.
    init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        var text = String(decoding: bytes, as: UTF8.self)
        // Invalid bytes become U+FFFD, so the bytes are the same only if all were valid.
        guard text.withUTF8({ $0.count == bytes.count && $0.elementsEqual(bytes) }) else { return nil }
        self = text
    }
}
