import CLinux

/// A text that logs, errors and dumps hide. Its bytes are overwritten when the last reference is released.
public final class Secret: Sendable {
    /// What is shown in place of a secret.
    public static let hidden = "(hidden)"

    /// nonisolated(unsafe): only the initialisers write to it.
    private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

    /// Copies UTF-8.
    public init(_ text: UnsafeRawBufferPointer) { bytes = Secret.copy(text) }

    /// Copies a text. The text itself is not overwritten.
    public init(_ text: String) {
        var text = text
        bytes = text.withUTF8 { Secret.copy(UnsafeRawBufferPointer($0)) }
    }

    deinit {
        Secret.cleanse(bytes)
        bytes.deallocate()
    }

    private static func copy(_ text: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        bytes.copyMemory(from: text)
        return bytes
    }

    /// Overwrites bytes that are not used any more.
    package static func cleanse(_ bytes: UnsafeMutableRawBufferPointer) {
        if let start = bytes.baseAddress { nudged_cleanse(start, bytes.count) }
    }

    /// Passes the bytes to `body`. The pointer is valid only during the call.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(bytes))
    }

    /// Whether a stranger's bytes are the secret. The time tells nothing about the secret: no byte ends the comparison.
    package func matches(_ given: some Collection<UInt8>) -> Bool {
        let given = Array(given)
        var difference = bytes.count ^ given.count
        for (place, byte) in bytes.enumerated() {
            difference |= Int(byte ^ (place < given.count ? given[place] : 0))
        }
        return difference == 0
    }

    /// A copy that nothing overwrites. Take it only where a text is needed.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Secret: Equatable {
    public static func == (left: Secret, right: Secret) -> Bool { left.bytes.elementsEqual(right.bytes) }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { Self.hidden }
    public var debugDescription: String { Self.hidden }
    /// No children: else `dump(_:)` of an owner would print the text.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
