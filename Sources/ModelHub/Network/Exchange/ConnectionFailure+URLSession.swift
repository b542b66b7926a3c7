#if canImport(Network)
    import Foundation

    /// The errors of a connection over `URLSession`, in words.
    enum ConnectionFailure {
        /// The cause of an error, as the part of a sentence.
        static func reason(_ error: any Error) -> String { error.localizedDescription }
    }
#endif
