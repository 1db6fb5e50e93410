/// A conversation's UUID (text form: RFC 9562, section 4). Upper and lower case are equal.
public struct ConversationID: Sendable, Hashable, LosslessStringConvertible {
    /// The UUID in lower case, 36 characters: `0f4a1c3e-9b7d-4c2a-8e5f-001122334455`.
    public let description: String

    /// Reads 32 hexadecimal digits in five groups, `8-4-4-4-12`, in any case.
    ///
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var lowered: [UInt8] = []
        lowered.reserveCapacity(36)
        for (index, byte) in text.utf8.enumerated() {
            switch (index, byte) {
            case (8, UInt8(ascii: "-")), (13, UInt8(ascii: "-")), (18, UInt8(ascii: "-")), (23, UInt8(ascii: "-")):
                lowered.append(byte)
            case (8, _), (13, _), (18, _), (23, _):
                return nil
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")):
                lowered.append(byte)
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
                lowered.append(byte + 32)
            default:
                return nil
            }
        }
        description = String(decoding: lowered, as: UTF8.self)
    }
}
