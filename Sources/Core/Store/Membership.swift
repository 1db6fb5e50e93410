package import struct FoundationEssentials.UUID

/// Who owns which range, as a member read it at its last renewal.
package struct Membership: Sendable, Equatable {
    /// This daemon's membership.
    package let member: UUID
    /// All ranges with their owners; nil: the range is free.
    package let owners: [Int32: UUID?]
    /// Members whose lease has not ended.
    package let living: Set<UUID>

    /// This daemon's ranges, sorted.
    package var ranges: [Int32] { ranges(of: member).sorted() }

    /// How many ranges are free.
    package var free: Int { owners.values.count { $0 == nil } }

    /// Whether this daemon should leave and join again, so that another one gets its share. True if it owns the most
    /// ranges and more than a fair share, another owns less than one, and no range is free. The daemon does it after
    /// two such results in a row.
    package var shouldRejoin: Bool {
        guard free == 0, living.contains(member), living.count > 1 else { return false }
        let shares = living.map { (count: ranges(of: $0).count, member: $0) }
        let total = owners.count
        let most = shares.max { ($0.count, $1.member) < ($1.count, $0.member) }
        guard let most, most.member == member, let least = shares.map(\.count).min() else { return false }
        return most.count > (total + living.count - 1) / living.count && least < total / living.count
    }

    private func ranges(of member: UUID) -> [Int32] { owners.filter { $0.value == member }.map(\.key) }
}
