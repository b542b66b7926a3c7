import FacadeSupport
import FirebaseCore
import Foundation
import ModelHub
import ModelHubApp

/// The common parts of everything that uses models of a hub.
enum FirebaseErrors {
    /// The domain of this module's errors; their codes are those of google.rpc.
    static let domain = "com.firebase.ml"

    /// Translates an error to an error of this module.
    static func translate(_ error: any Error) -> NSError { ErrorTranslation.error(error, domain: domain) }

    /// Calls `body` and translates its errors.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw translate(error) }
    }

    /// The models of an app. If `app` is nil, those of the program's hub at the time of use.
    static func models(of app: FirebaseApp?) -> ModelService {
        ModelService(domain: domain) { try app?.modelManager() ?? HubApp.modelManager() }
    }
}
