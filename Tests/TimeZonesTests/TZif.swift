/// Makes TZif files for tests.
enum TZif {
    static func bigEndian(_ value: Int64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (Int64($0) * 8)) }
    }

    private static func header(version: UInt8, times: Int, types: Int) -> [UInt8] {
        var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        for count in [0, 0, 0, times, types, 4] { bytes += bigEndian(Int64(count), 4) }
        return bytes
    }

    private static func block(_ transitions: [(at: Int64, type: UInt8)], _ offsets: [Int32], size: Int) -> [UInt8] {
        transitions.flatMap { bigEndian($0.at, size) } + transitions.map(\.type)
            + offsets.flatMap { bigEndian(Int64($0), 4) + [0, 0] } + Array("XXX\0".utf8)
    }

    /// A file of version 2 with an empty first block.
    static func file(_ transitions: [(at: Int64, type: UInt8)] = [], offsets: [Int32] = [0], footer: String = "")
        -> [UInt8]
    {
        header(version: UInt8(ascii: "2"), times: 0, types: 1) + block([], [0], size: 4)
            + header(version: UInt8(ascii: "2"), times: transitions.count, types: offsets.count)
            + block(transitions, offsets, size: 8) + Array("\n\(footer)\n".utf8)
    }

    /// A file of version 1.
    static func oldFile(_ transitions: [(at: Int64, type: UInt8)], offsets: [Int32]) -> [UInt8] {
        header(version: 0, times: transitions.count, types: offsets.count) + block(transitions, offsets, size: 4)
    }
}
