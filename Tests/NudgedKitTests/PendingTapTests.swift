import NudgedKit
import Testing

struct PendingTapTests {
    private let first = Payload(parsing: #"{"order":1}"#)
    private let second = Payload(parsing: #"{"order":2}"#)

    @Test func tap_whenSignedIn_opensAtOnce() {
        var tap = PendingTap()
        #expect(tap.signedIn(UserID(rawValue: "ann")) == nil)
        #expect(tap.tapped(first) == first && tap.payload == nil && tap.user?.rawValue == "ann")
    }

    @Test func tap_whenNobodyIsSignedIn_isKeptUntilTheUserIsBack() {
        var tap = PendingTap(lastUser: UserID(rawValue: "ann"))
        #expect(tap.tapped(first) == nil && tap.tapped(second) == nil)
        #expect(tap.signedIn(UserID(rawValue: "ann")) == second)
        // Once only.
        #expect(tap.signedIn(UserID(rawValue: "ann")) == nil && tap.payload == nil)
    }

    @Test func tap_whenTheAppKnowsNoFormerUser_opensForTheNext() {
        var tap = PendingTap()
        #expect(tap.tapped(first) == nil)
        #expect(tap.signedIn(UserID(rawValue: "ann")) == first)
    }

    @Test func tap_whenAnotherUserSignsIn_isForgotten() {
        var tap = PendingTap(lastUser: UserID(rawValue: "ann"))
        #expect(tap.tapped(first) == nil)
        #expect(tap.signedIn(UserID(rawValue: "bob")) == nil && tap.lastUser == UserID(rawValue: "bob"))
        tap.signedOut()
        #expect(tap.user == nil && tap.signedIn(UserID(rawValue: "ann")) == nil)
    }

    @Test func tap_whenAfterASignOut_waits() {
        var tap = PendingTap()
        #expect(tap.signedIn(UserID(rawValue: "ann")) == nil)
        tap.signedOut()
        #expect(tap.tapped(first) == nil && tap.lastUser == UserID(rawValue: "ann"))
        #expect(tap.signedIn(UserID(rawValue: "ann")) == first)
    }
}
