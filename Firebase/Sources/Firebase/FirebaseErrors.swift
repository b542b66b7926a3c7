import FacadeSupport
import FirebaseCore
import Foundation
import ModelHub
import ModelHubApp

/// What all that knows models of a hub has in common here.
enum FirebaseErrors {
    /// The domain of the errors of this module; their codes are those of google.rpc.
    static let domain = "com.firebase.ml"

    /// An error as this module gives it.
    static func translate(_ error: any Error) -> NSError { ErrorTranslation.error(error, domain: domain) }

    /// Calls `body` and gives its errors as this module does.
    static func translating<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch { throw translate(error) }
    }

    /// The models of an app; those of the program's hub, whichever that is by then, if it is nil.
    static func models(of app: FirebaseApp?) -> ModelService {
        ModelService(domain: domain) { try app?.modelManager() ?? HubApp.modelManager() }
    }
}
