// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of supabase-swift 2.55 that the sample app uses, so that the sample builds and runs in the tests. Declared
// after <https://github.com/supabase/supabase-swift>.

public import Foundation

/// The project behind each client. A test plays it.
public protocol SupabaseProject: Sendable {
    func signInAnonymously() async throws -> UUID
    func rpc(schema: String, function: String, parameters: Data) async throws -> Data
    func upsert(table: String, row: Data, onConflict: String) async throws -> Data
}

public final class SupabaseClient: Sendable {
    @TaskLocal public static var project: (any SupabaseProject)?

    public init(supabaseURL: URL, supabaseKey: String) {}
    public let auth = AuthClient()
    public func schema(_ schema: String) -> PostgrestClient { PostgrestClient(schema: schema) }
    public func from(_ table: String) -> PostgrestQueryBuilder { PostgrestQueryBuilder(table: table) }

    static func required() throws -> any SupabaseProject {
        guard let project else { throw URLError(.cannotConnectToHost) }
        return project
    }
}

public actor AuthClient {
    private var current: Session?

    public var session: Session {
        get async throws {
            guard let current else { throw URLError(.userAuthenticationRequired) }
            return current
        }
    }

    public func signInAnonymously() async throws -> Session {
        let session = Session(user: User(id: try await SupabaseClient.required().signInAnonymously()))
        current = session
        return session
    }

    public func signOut() async throws { current = nil }
}

public struct Session: Sendable {
    public var user: User
}

public struct User: Sendable {
    public var id: UUID
}

public final class PostgrestClient: Sendable {
    private let schema: String
    init(schema: String) { self.schema = schema }

    public func rpc(_ fn: String, params: some Encodable & Sendable) throws -> PostgrestFilterBuilder {
        let (schema, body) = (schema, try JSONEncoder().encode(params))
        return PostgrestFilterBuilder {
            try await SupabaseClient.required().rpc(schema: schema, function: fn, parameters: body)
        }
    }
}

public final class PostgrestQueryBuilder: Sendable {
    private let table: String
    init(table: String) { self.table = table }

    public func upsert(_ values: some Encodable, onConflict: String? = nil) throws -> PostgrestFilterBuilder {
        let (table, row) = (table, try JSONEncoder().encode(values))
        return PostgrestFilterBuilder {
            try await SupabaseClient.required().upsert(table: table, row: row, onConflict: onConflict ?? "id")
        }
    }
}

public final class PostgrestFilterBuilder: Sendable {
    private let request: @Sendable () async throws -> Data
    init(_ request: @escaping @Sendable () async throws -> Data) { self.request = request }

    @discardableResult
    public func execute() async throws -> PostgrestResponse<Void> { PostgrestResponse(data: try await request()) }
    @discardableResult
    public func execute<T: Decodable>() async throws -> PostgrestResponse<T> {
        PostgrestResponse(data: try await request())
    }
}

public struct PostgrestResponse<Value> {
    public let data: Data
}
