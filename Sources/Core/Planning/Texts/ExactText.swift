import Glibc

/// A text that equals another only if their UTF-8 bytes are the same, as in SQL. Swift's `String` is equal by canonical
/// equivalence: `caf\u{E9}` and `cafe\u{301}` would be one collapse key, one subject, one topic.
///
/// For texts of the app or of users, wherever they are compared or are keys.
struct ExactText: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        return left.bytes { one in
            right.bytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return one.isEmpty }
                return memcmp(first, second, one.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) { bytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) } }

    private func bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        var copy = text
        return copy.withUTF8(body)
    }
}
