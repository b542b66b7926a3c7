import FirebaseCore
import HubTestSupport

extension DefaultApp {
    /// Calls `body` while the default Firebase app is configured with options.
    static func with(_ options: FirebaseOptions, _ body: () async throws -> Void) async throws {
        try await with(nil) {
            FirebaseApp.configure(options: options)
            let app = FirebaseApp.app()
            do {
                try await body()
            } catch {
                await app?.delete()
                throw error
            }
            await app?.delete()
        }
    }
}
