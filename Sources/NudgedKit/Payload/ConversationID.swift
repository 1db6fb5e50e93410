/// The UUID of a conversation (RFC 9562, section 4), whatever the case it was written in.
public struct ConversationID: Sendable, Hashable, LosslessStringConvertible {
    /// 36 characters, in lower case.
    public let description: String

    /// Reads 32 hexadecimal digits in five groups, `8-4-4-4-12`; nil for anything else.
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
