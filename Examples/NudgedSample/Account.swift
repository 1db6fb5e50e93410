import Foundation
import NudgedKit
import Supabase

/// The signed-in user, by Supabase. An app with another backend has its own.
@MainActor
final class Account {
    static let shared = Account()

    private let client = SupabaseClient(
        // From the project's settings, "API".
        supabaseURL: URL(string: "https://PROJECT.supabase.co")!,
        supabaseKey: "PUBLISHABLE_KEY"
    )
    private var userID: UUID?
    /// The user's conversations. The sample has none.
    let conversations: Set<ConversationID> = []

    var server: SupabaseServer { SupabaseServer(client: client) }

    /// The user's id. An anonymous user is enough for a first push.
    func signIn() async throws -> UserID {
        let known = try? await client.auth.session
        let session = if let known { known } else { try await client.auth.signInAnonymously() }
        userID = session.user.id
        try await write(Profile(userID: session.user.id))
        return UserID(session.user.id)
    }

    func signOut() async throws {
        userID = nil
        try await client.auth.signOut()
    }

    /// The user wants check-ins. What they chose before stays.
    func optIn() async throws {
        guard let userID else { return }
        let column = try await server.preferences()
        let draft = PreferencesDraft.optingIn(over: Preferences(parsing: column))
        try await server.setPreferences(draft.encoded(over: column))
        try await write(Profile(userID: userID, firstSessionComplete: true))
    }

    private func write(_ profile: Profile) async throws {
        try await client.from("context_profiles").upsert(profile, onConflict: "user_id").execute()
    }
}

/// The columns of `context_profiles` that the sample writes. Those that are nil stay as they are.
private struct Profile: Encodable, Sendable {
    let userID: UUID
    var firstSessionComplete: Bool?

    private enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case firstSessionComplete = "first_session_complete"
    }
}
