extension LocalDate {
    /// Reads `YYYY-MM-DD` with years 0001 to 9999. Nil for any other form and for days that don't exist.
    public init?(iso text: String) {
        var text = text
        let date = text.withUTF8 { LocalDate(iso: $0[...]) }
        guard let date else { return nil }
        self = date
    }

    init?(iso bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        let start = bytes.startIndex
        guard bytes.count == 10, bytes[start + 4] == UInt8(ascii: "-"), bytes[start + 7] == UInt8(ascii: "-"),
            let year = decimal(bytes[start..<start + 4]),
            let month = decimal(bytes[start + 5..<start + 7]),
            let day = decimal(bytes[start + 8..<start + 10])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// `YYYY-MM-DD`. A date outside the years 0001 to 9999 is written as the nearest one inside.
    public var iso: String {
        String(unsafeUninitializedCapacity: 10) { bytes in
            write(to: bytes)
            return 10
        }
    }

    /// Writes the ten bytes of `YYYY-MM-DD`.
    func write(to bytes: UnsafeMutableBufferPointer<UInt8>) {
        let inside = min(max(days, -719_162), 2_932_896)
        let (year, month, day) = LocalDate(days: inside).civil
        writeDecimal(year / 100, to: bytes, at: 0)
        writeDecimal(year, to: bytes, at: 2)
        bytes[4] = UInt8(ascii: "-")
        writeDecimal(month, to: bytes, at: 5)
        bytes[7] = UInt8(ascii: "-")
        writeDecimal(day, to: bytes, at: 8)
    }
}
