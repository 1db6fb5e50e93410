import Glibc

/// Seeds of the property tests: three fixed ones and one more, `NUDGED_SEED` or a random one. Every failure names its seed.
package enum Seeds {
    package static let all = fixed + [extra]
    package static let fixed: [UInt64] = [1, 2, 3]

    package static let extra: UInt64 = {
        if let given = getenv("NUDGED_SEED").flatMap({ UInt64(String(cString: $0)) }) { return given }
        return UInt64.random(in: 1_000...999_999_999)
    }()
}
