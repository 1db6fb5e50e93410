#if !hasFeature(Embedded)
    /// An app's side of nudged: asks for permission at the right moment, registers the device for the signed-in user,
    /// and opens what a push leads to.
    ///
    /// The app reports what happens, and shows what `state` and `isExplaining` say. `NudgedAppDelegate` reports what
    /// the system does. One object lives as long as the app.
    @MainActor
    public final class Nudges {
        /// Whether the app's own question should be on the screen: why notifications help, with "yes"
        /// (`enableTapped()`) and "not now" (`notNowTapped()`).
        public private(set) var isExplaining = false
        /// Called after each change of `state` or `isExplaining`.
        public var changed: () -> Void = {}
        /// Whether the user already sees what a push leads to. Then it gets no banner.
        public var isShowing: (Payload) -> Bool = { _ in false }
        /// Whether the badge goes when the app comes to the front. False: the app counts something of its own there.
        public var removesBadge = true
        /// Gets each error of the server's, for the app's log.
        public var serverFailed: (any Error) -> Void = { _ in }

        /// The signed-in user. Each sign-in has its own object, so that a late answer can't change the next sign-in.
        @MainActor
        private final class SignIn {
            let user: UserID
            let server: any NudgedServer
            let open: @MainActor (Payload) -> Void
            /// What the server stored last.
            var registered: DeviceRegistration?
            /// Of these surfaces, what the server stored.
            var surfaces: [Surface: Set<DeviceToken>] = [:]

            init(user: UserID, server: any NudgedServer, open: @escaping @MainActor (Payload) -> Void) {
                self.user = user
                self.server = server
                self.open = open
            }
        }

        private let system: any NotificationSystem
        private var permission: Permission
        private var tap: PendingTap
        private var session: SignIn?
        private var token: DeviceToken?
        /// Each control has a token of its own.
        private var surfaces: [Surface: Set<DeviceToken>] = [:]
        /// The server is called for one thing after the other: a late registration must not follow a removal.
        private var lastCall: Task<Void, Never>?

        /// Goes on from what the last run stored.
        public init(system: any NotificationSystem) {
            self.system = system
            permission = system.stored(Nudges.permissionKey).flatMap { Permission(rawValue: $0) } ?? Permission()
            tap = PendingTap(lastUser: system.stored(Nudges.userKey).map { UserID(rawValue: $0) })
        }

        private static let permissionKey = "nudged.permission"
        private static let userKey = "nudged.user"

        /// The permission's state, for a settings screen.
        public var state: PermissionState { permission.state }

        // MARK: What the app reports

        /// A user signed in, or the app found at its start that a user is. Opens a tap that was kept, and registers
        /// the device. The app may report the same user again.
        ///
        /// - Parameters:
        ///   - user: the user's id.
        ///   - server: calls the database as this user.
        ///   - open: opens what a push leads to (`Payload.route(isUsers:)`).
        public func signedIn(
            as user: UserID,
            server: any NudgedServer,
            open: @escaping @MainActor (Payload) -> Void
        ) async {
            // What the former user left on the lock screen is not for this one.
            if let last = tap.lastUser, last != user { system.removeDelivered() }
            let kept = tap.signedIn(user)
            system.store(Self.userKey, user.rawValue)
            let next = SignIn(user: user, server: server, open: open)
            if let session, session.user == user {
                (next.registered, next.surfaces) = (session.registered, session.surfaces)
            }
            session = next
            if let kept { opened(kept) }
            await register()
            await seen()
        }

        /// The user wants to sign out. Call this while the server still knows the user: it removes the device, so that
        /// the phone gets no more of this user's nudges. Call it also if the session ended by itself.
        public func signOut() async {
            guard let ended = session else { return }
            session = nil
            tap.signedOut()
            system.removeDelivered()
            await inTurn { [self] in
                for token in Set(surfaces.values.joined()).union(token.map { [$0] } ?? []) {
                    do {
                        try await ended.server.unregisterDevice(token)
                    } catch {
                        serverFailed(error)
                    }
                }
            }
        }

        /// A session of use ended: the moment for the app's own question.
        public func sessionEnded() async { await handle(.sessionEnded(at: system.now)) }

        /// "Yes" to the app's own question, or a tap on "enable" in its settings screen.
        public func enableTapped() async {
            isExplaining = false
            await handle(.enableTapped)
        }

        /// "Not now". The question comes again after another session, a week later.
        public func notNowTapped() {
            guard isExplaining else { return }
            isExplaining = false
            changed()
        }

        // MARK: What the system reports

        /// The app was launched.
        public func started() async { await handle(.appStarted(await system.permission())) }

        /// The app came to the front. Removes the badge, if `removesBadge`. Registers the device again if its zone or
        /// language has changed. Tells the server that the user is here.
        public func cameToFront() async {
            if removesBadge { system.removeBadge() }
            await handle(.settingsChanged(await system.permission()))
            await register()
            await seen()
        }

        /// The system handed over the device's token, at a start or because it has changed. Registers the device.
        public func received(_ token: DeviceToken) async {
            self.token = token
            // Also the same token: each start renews the registration.
            session?.registered = nil
            await register()
        }

        /// The system handed over a token of widgets, controls or a Live Activity. It is kept until a user is signed in.
        public func received(_ token: DeviceToken, for surface: Surface) async {
            surfaces[surface, default: []].insert(token)
            session?.surfaces[surface]?.remove(token)
            await register()
        }

        /// The system has no token for this device.
        public func registrationFailed(_ error: any Error) async { await handle(system.event(of: error)) }

        /// The user tapped a push. It is kept until a user is signed in. Then the server is told.
        public func tapped(_ payload: Payload) {
            if let payload = tap.tapped(payload) { opened(payload) }
        }

        /// A background push came. Takes the nudge off the screen that it withdraws, if it does. Another device may have
        /// shown it.
        public func received(_ payload: Payload) async {
            guard let nudge = payload.withdrawnID else { return }
            let identifiers = await system.delivered().filter { $0.payload.nudgeID == nudge }.map(\.identifier)
            if !identifiers.isEmpty { system.removeDelivered(identifiers) }
        }

        /// How to show a push that came while the app is in the foreground.
        public func display(_ payload: Payload) -> ForegroundDisplay {
            session != nil && isShowing(payload) ? .list : .banner
        }

        private func handle(_ event: PermissionEvent) async {
            let effect = permission.handle(event)
            system.store(Self.permissionKey, permission.rawValue)
            isExplaining = effect == .explain || isExplaining && permission.state == .notRequested
            changed()
            switch effect {
            case .prompt: await handle(await system.prompt())
            case .openSettings: await system.openSettings()
            case .registerToken: system.registerToken()
            case .explain, .nothing: break
            }
        }

        private func opened(_ payload: Payload) {
            guard let session else { return }
            session.open(payload)
            guard let nudge = payload.nudgeID else { return }
            Task { await tell { try await session.server.opened(nudge) } }
        }

        private func seen() async {
            guard let session else { return }
            await tell { try await session.server.seen() }
        }

        private func tell(_ call: @escaping @MainActor () async throws -> CallResult) async {
            await inTurn { [self] in
                do { _ = try await call() } catch { serverFailed(error) }
            }
        }

        private func register() async {
            await inTurn { [self] in
                guard let session else { return }
                await register(surfacesOf: session)
                guard let token else { return }
                let registration = system.registration(of: token)
                guard registration != session.registered else { return }
                do {
                    try await session.server.registerDevice(registration)
                    session.registered = registration
                } catch {
                    serverFailed(error)
                    await handle(system.event(of: error))
                }
            }
        }

        private func register(surfacesOf session: SignIn) async {
            for (surface, tokens) in surfaces {
                for token in tokens.subtracting(session.surfaces[surface] ?? []) {
                    var registration = system.registration(of: token)
                    registration.surface = surface
                    do {
                        try await session.server.registerDevice(registration)
                        session.surfaces[surface, default: []].insert(token)
                    } catch {
                        serverFailed(error)
                    }
                }
            }
        }

        /// Does some work after all work before it.
        private func inTurn(_ work: @escaping @MainActor () async -> Void) async {
            let before = lastCall
            let task = Task { @MainActor in
                await before?.value
                await work()
            }
            lastCall = task
            await task.value
        }
    }
#endif
