import FacadeSupport
import Foundation

/// The domain of all errors that ML Kit's names give here.
package let mlKitErrorDomain = "com.google.mlkit"

/// Calls `body` and gives its errors as ML Kit's.
package func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw ErrorTranslation.error(error, domain: mlKitErrorDomain) }
}
