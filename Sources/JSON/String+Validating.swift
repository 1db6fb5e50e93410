extension String {
    /// The text of UTF-8 bytes; nil where they are none.
    ///
    /// The standard library has `init(validating:as:)` for it, which came with the systems of 2024. Apps that use `NudgedKit` run on older ones, too.
    init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        var text = String(decoding: bytes, as: UTF8.self)
        // What is ill-formed becomes U+FFFD, so the bytes are the same exactly where nothing was.
        guard text.withUTF8({ $0.count == bytes.count && $0.elementsEqual(bytes) }) else { return nil }
        self = text
    }
}
