/// A device's APNs token, as Apple gave it to the app. Its description does not show it.
public struct DeviceToken: Sendable, Hashable, CustomStringConvertible {
    /// The token as hexadecimal digits in lower case, as `nudged_me.register_device` takes it.
    public let hexadecimal: String

    /// - Parameter bytes: what the system handed over. Apple says that the length may change.
    public init(_ bytes: some Sequence<UInt8>) {
        let digits: StaticString = "0123456789abcdef"
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits.utf8Start[Int(byte >> 4)])
            text.append(digits.utf8Start[Int(byte & 15)])
        }
        hexadecimal = String(decoding: text, as: UTF8.self)
    }

    /// The same text for every token, so that no log shows one.
    public var description: String { "(token)" }
}
