// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The part of supabase-swift 2.55 that the sample app uses, so that scripts/try-platforms can typecheck it. It does
// nothing. Declared after <https://github.com/supabase/supabase-swift>.

public import Foundation

public final class SupabaseClient: Sendable {
    public init(supabaseURL: URL, supabaseKey: String) {}
    public var auth: AuthClient { AuthClient() }
    public func schema(_ schema: String) -> PostgrestClient { PostgrestClient() }
    public func from(_ table: String) -> PostgrestQueryBuilder { PostgrestQueryBuilder() }
}

public actor AuthClient {
    public var session: Session { get async throws { Session(user: User(id: UUID())) } }
    public func signInAnonymously() async throws -> Session { Session(user: User(id: UUID())) }
    public func signOut() async throws {}
}

public struct Session: Sendable {
    public var user: User
}

public struct User: Sendable {
    public var id: UUID
}

public final class PostgrestClient: Sendable {
    public func rpc(_ fn: String, params: some Encodable & Sendable) throws -> PostgrestFilterBuilder {
        PostgrestFilterBuilder()
    }
}

public final class PostgrestQueryBuilder: Sendable {
    public func upsert(_ values: some Encodable, onConflict: String? = nil) throws -> PostgrestFilterBuilder {
        PostgrestFilterBuilder()
    }
}

public final class PostgrestFilterBuilder: Sendable {
    @discardableResult
    public func execute() async throws -> PostgrestResponse<Void> { PostgrestResponse() }
    @discardableResult
    public func execute<T: Decodable>() async throws -> PostgrestResponse<T> { PostgrestResponse() }
}

public struct PostgrestResponse<Value> {
    public let data = Data()
}
