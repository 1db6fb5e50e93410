/// The members of a JSON object in the order of their keys' first appearance. Of two equal keys the last value counts.
///
/// Keys are equal if their UTF-8 is equal. Swift's `String ==` would also treat canonically equivalent keys as equal
/// (U+212A KELVIN SIGN and `K`). These are two keys in JSON.
public struct JSONObject: Sendable, Equatable {
    /// A key and its value.
    public struct Member: Sendable, Equatable {
        /// The key, unescaped.
        public let key: String
        /// The value.
        public var value: JSONValue

        /// A member with these values.
        public init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }

        /// Compares keys by their bytes.
        public static func == (left: Member, right: Member) -> Bool {
            left.key.hasSameUTF8(as: right.key) && left.value == right.value
        }
    }

    /// The members. Every key occurs once.
    public private(set) var members: [Member]

    /// An object without members.
    public init() {
        members = []
    }

    /// An object with these members. Of two equal keys the last one counts.
    public init(_ members: [Member]) {
        self.members = members.count <= Self.scanned ? Self.uniqueByScan(members) : Self.uniqueBySort(members)
    }

    /// The value of a key. Setting a value adds or replaces it. Setting nil changes nothing.
    public subscript(key: String) -> JSONValue? {
        get {
            for member in members where member.key.hasSameUTF8(as: key) { return member.value }
            return nil
        }
        set {
            guard let newValue else { return }
            if let index = members.firstIndex(where: { $0.key.hasSameUTF8(as: key) }) {
                members[index].value = newValue
            } else {
                members.append(Member(key: key, value: newValue))
            }
        }
    }

    /// Compares members without regard to their order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if left.members.count <= scanned { return left.members.allSatisfy { right[$0.key] == $0.value } }
        return left.sortedMembers == right.sortedMembers
    }

    private var sortedMembers: [Member] { members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }

    /// Up to this many members a scan is faster than an index. Above, a scan would be quadratic for hostile input.
    private static let scanned = 24

    private static func uniqueByScan(_ members: [Member]) -> [Member] {
        var hasEqualKeys = false
        for (index, member) in members.enumerated().dropFirst() where !hasEqualKeys {
            hasEqualKeys = members[..<index].contains { $0.key.hasSameUTF8(as: member.key) }
        }
        guard hasEqualKeys else { return members }
        var unique: [Member] = []
        for member in members {
            if let index = unique.firstIndex(where: { $0.key.hasSameUTF8(as: member.key) }) {
                unique[index] = member
            } else {
                unique.append(member)
            }
        }
        return unique
    }

    private static func uniqueBySort(_ members: [Member]) -> [Member] {
        let order = members.indices.sorted { first, second in
            let (left, right) = (members[first].key.utf8, members[second].key.utf8)
            if left.lexicographicallyPrecedes(right) { return true }
            return first < second && !right.lexicographicallyPrecedes(left)
        }
        // Equal keys are adjacent now, in order of appearance. The first one gives the place, the last one the value.
        var value: [Int: JSONValue] = [:]
        var place = -1
        for index in order {
            if place < 0 || !members[place].key.hasSameUTF8(as: members[index].key) { place = index }
            value[place] = members[index].value
        }
        return members.indices.compactMap { index in
            value[index].map { Member(key: members[index].key, value: $0) }
        }
    }
}

extension String {
    /// Whether both have the same UTF-8 bytes.
    @inline(__always)
    func hasSameUTF8(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
