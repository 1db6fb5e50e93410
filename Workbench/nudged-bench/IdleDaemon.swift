import ArgumentParser
import Postgres
import Core
import TimeZones

import struct FoundationEssentials.UUID

/// A single member with nobody to send to.
struct IdleDaemon {
    private let store: Store
    private let member = UUID()
    private let ranges: [Int32]

    private static let leaseMilliseconds: Int64 = 30_000

    /// Joins and takes all ranges.
    init(_ configuration: ConnectionConfiguration) async throws {
        store = Store(configuration: configuration)
        try await store.join(member, daemon: UUID(), leaseMilliseconds: Self.leaseMilliseconds)
        guard let membership = try await store.renew(member, leaseMilliseconds: Self.leaseMilliseconds),
            membership.free == 0
        else { throw ValidationError("a member alone has all ranges") }
        ranges = membership.ranges
    }

    /// The statements of `Claimer.sweep` when nobody is due. The time from statement to answer counts as the
    /// database's.
    func sweep() async throws {
        let now = Instant(seconds: try await store.look().clock / 1_000_000)
        _ = try await store.dueFanOuts(now: now, except: [], limit: 100)
        _ = try await store.drain(member: member, ranges: ranges, limit: 5000, now: now)
        _ = try await store.recoverOrphans(limit: 100)
        let claim = try await store.claim(ranges: ranges, now: now, limit: 1000)
        guard claim.users.isEmpty else { throw ValidationError("\(claim.users.count) users were due") }
    }

    /// What the daemon does besides its sweeps, every sixth of a lease.
    func renew() async throws {
        _ = try await store.renew(member, leaseMilliseconds: Self.leaseMilliseconds)
        _ = try await store.declareDead(except: member)
    }

    func leave() async {
        _ = try? await store.leave(member)
        await store.close()
    }
}
