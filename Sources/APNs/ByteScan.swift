/// Tests every byte of a text, eight at a time: each push's token, collapse id and texts are checked.
enum ByteScan {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Whether a test holds for all bytes.
    ///
    /// - Parameters:
    ///   - filler: A byte that passes the test. It fills up the last group of eight.
    ///   - test: Whether all eight bytes of a word pass.
    @inline(__always)
    static func all(_ bytes: UnsafeBufferPointer<UInt8>, filler: UInt8, _ test: (UInt64) -> Bool) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var place = 0
        while place + 8 <= raw.count {
            guard test(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)) else { return false }
            place += 8
        }
        guard place < raw.count else { return true }
        var last = UInt64(filler)
        for index in place..<raw.count { last = last << 8 | UInt64(raw[index]) }
        for _ in raw.count - place..<7 { last = last << 8 | UInt64(filler) }
        return test(last)
    }

    /// The top bits of the bytes that are at least `least`. All bytes and `least` must be below 0x80.
    @inline(__always)
    static func tops(of word: UInt64, from least: UInt64) -> UInt64 { (word &+ ones &* (0x80 &- least)) & tops }

    /// Whether one of the eight bytes is `byte`.
    @inline(__always)
    static func has(_ byte: UInt64, in word: UInt64) -> Bool {
        let zeros = word ^ (ones &* byte)
        return (zeros &- ones) & ~zeros & tops != 0
    }

    /// Whether one of the eight bytes is below `least`, which is at most 0x80.
    @inline(__always)
    static func hasLess(than least: UInt64, in word: UInt64) -> Bool { (word &- ones &* least) & ~word & tops != 0 }
}
