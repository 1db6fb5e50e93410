import Testing

import struct FoundationEssentials.UUID

@testable import Core

/// What follows from who owns which range.
struct MembershipTests {
    private static let ids = (0..<4).map { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8($0))) }

    /// - Parameter counts: how many each member owns.
    private static func membership(_ me: Int, _ counts: [Int]) -> Membership {
        var owners: [Int32: UUID?] = [:]
        var next: Int32 = -32
        for (place, count) in counts.enumerated() {
            for _ in 0..<count {
                owners[next] = .some(ids[place])
                next += 1
            }
        }
        while next < 32 {
            owners[next] = .some(nil)
            next += 1
        }
        return Membership(member: ids[me], owners: owners, living: Set(ids.prefix(counts.count)))
    }

    @Test(
        arguments: [
            (0, [64, 0], true), (1, [64, 0], false),
            // A fair share: 22 at most of three, 21 at least.
            (0, [22, 21, 21], false), (0, [23, 21, 20], true), (0, [22, 22, 20], false),
            // Ties: the smallest id.
            (0, [32, 32, 0], true), (1, [32, 32, 0], false),
            // Something is free: it is taken instead.
            (0, [60, 0], false), (0, [64], false),
        ] as [(Int, [Int], Bool)]
    )
    func shouldRejoin_whenSharesDiffer_isTrueOfOne(me: Int, counts: [Int], rejoins: Bool) {
        #expect(Self.membership(me, counts).shouldRejoin == rejoins)
    }

    @Test func ranges_areOursAndSorted() {
        let membership = Self.membership(1, [1, 3])
        #expect(membership.ranges == [-31, -30, -29] && membership.free == 60)
    }
}
