import Foundation
import NudgedKit
import SwiftUI

struct HomeView: View {
    @EnvironmentObject private var delegate: NudgedAppDelegate
    @State private var shown = "No push was tapped yet."
    private let account = Account.shared

    var body: some View {
        VStack {
            Text(shown)
            Text(permission)
            // A real app calls this when a game, a chat or a lesson is over.
            Button("End the session") { Task { await delegate.nudges.sessionEnded() } }
            Button("Enable notifications") { Task { await enable() } }
            Button("Send a test") { Task { await sendTest() } }
            Button("Sign out") { Task { await signOut() } }
        }
        .task { await signIn() }
        .alert("Shall we remind you?", isPresented: question) {
            Button("Yes, please") { Task { await enable() } }
            Button("Not now", role: .cancel) { delegate.nudges.notNowTapped() }
        } message: {
            Text("A few times a week, never at night. You can stop it at any time.")
        }
    }

    private var question: Binding<Bool> {
        Binding(get: { delegate.isExplaining }, set: { if !$0 { delegate.nudges.notNowTapped() } })
    }

    private var permission: String {
        switch delegate.state {
        case .notRequested: "Notifications: not requested"
        case .granted: "Notifications: on"
        case .denied: "Notifications: off. Tap Enable to open the settings."
        case .error(let text): "Notifications: \(text)"
        }
    }

    private func signIn() async {
        await attempt {
            let user = try await account.signIn()
            await delegate.nudges.signedIn(as: user, server: account.server) { open($0) }
        }
    }

    private func signOut() async {
        await delegate.nudges.signOut()
        await attempt { try await account.signOut() }
    }

    private func enable() async {
        await attempt { try await account.optIn() }
        await delegate.nudges.enableTapped()
    }

    private func sendTest() async {
        await attempt { try await account.server.sendTest() }
    }

    private func open(_ payload: Payload) {
        switch payload.route(among: account.conversations) {
        case .subject(let subject): shown = "\(subject.type) \(subject.id)"
        case .conversation(let id, _): shown = "Conversation \(id)"
        case .message(let data): shown = "Message \(data.json)"
        case .newConversation: shown = "A new conversation"
        }
    }

    private func attempt(_ work: @MainActor () async throws -> Void) async {
        do {
            try await work()
        } catch {
            shown = error.localizedDescription
        }
    }
}
