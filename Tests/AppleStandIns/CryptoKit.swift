// swift-format-ignore-file
// The part of CryptoKit that the package uses, as Apple documents it; nothing of it works.
public import Foundation

public enum Curve25519 {
    public enum Signing {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool { false }
        }
    }
}
