import NudgedKit
import Supabase

/// The calls of NudgedKit through supabase-swift.
struct SupabaseServer: NudgedServer {
    let client: SupabaseClient

    func rpc(schema: String, function: String, parameters: EncodableJSON) async throws -> String {
        let call = try client.schema(schema).rpc(function, params: parameters)
        let response: PostgrestResponse<Void> = try await call.execute()
        return String(decoding: response.data, as: UTF8.self)
    }
}
