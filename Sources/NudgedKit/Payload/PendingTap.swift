/// Keeps a tap on a push until a user is signed in. It is a value: the app tells it who comes and goes.
public struct PendingTap: Sendable, Equatable {
    /// The signed-in user. Nil: nobody, or the app does not know it yet.
    public private(set) var user: UserID?
    /// The user who was signed in last, also before this start of the app.
    public private(set) var lastUser: UserID?
    /// The last tap that nobody could open yet.
    public private(set) var payload: Payload?

    /// - Parameter lastUser: the value of `lastUser` at the app's last run, if it was stored.
    public init(lastUser: UserID? = nil) {
        self.lastUser = lastUser
    }

    /// The user tapped a push.
    ///
    /// - Returns: the payload to open now. Nil if nobody is signed in: then it is kept, in place of an older one.
    public mutating func tapped(_ payload: Payload) -> Payload? {
        if user != nil { return payload }
        self.payload = payload
        return nil
    }

    /// A user signed in, or the app found at its start that a user is.
    ///
    /// - Returns: the payload that was kept. Nil if there is none, or if another user was signed in last: that push was
    ///   not for this one.
    public mutating func signedIn(_ user: UserID) -> Payload? {
        let kept = lastUser == nil || lastUser == user ? payload : nil
        payload = nil
        self.user = user
        lastUser = user
        return kept
    }

    /// The user signed out, or the session ended.
    public mutating func signedOut() {
        user = nil
    }
}
