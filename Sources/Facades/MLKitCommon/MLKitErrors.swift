import FacadeSupport
import Foundation

/// The error domain of ML Kit's names.
package let mlKitErrorDomain = "com.google.mlkit"

/// Calls `body` and translates its errors to ML Kit's.
package func translatingErrors<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw ErrorTranslation.error(error, domain: mlKitErrorDomain) }
}
