import CLiteRT
import Foundation

/// The runtime's view of a model's bytes, shared by every compiled model.
///
/// Sendable: the handle is constant, created in `init` and released in `deinit` after its last use; the runtime reads
/// the model and does not change it, and several threads may create compiled models from it at the same time. The
/// object keeps the bytes alive, because the runtime points into them.
final class RuntimeModel: Sendable {
    /// A signature with the runtime's numbering: names in the order of its buffers.
    struct Signature: Sendable {
        let key: String
        let inputs: [String]
        let outputs: [String]
    }

    let library: RuntimeLibrary
    let signatures: [Signature]
    nonisolated(unsafe) let handle: OpaquePointer
    private let bytes: ModelBytes

    init(_ bytes: ModelBytes, library: RuntimeLibrary) throws(ModelError) {
        var handle: OpaquePointer?
        let status = library.functions.CreateModelFromBuffer(library.environment, bytes.base, bytes.count, &handle)
        guard status == kLiteRtOk, let handle else {
            throw .rejectedByRuntime(reason: "status \(status), \(runtimeStatusText(status))")
        }
        self.library = library
        self.bytes = bytes
        self.handle = handle
        signatures = Self.signatures(of: handle, library.functions)
    }

    deinit { library.functions.DestroyModel(handle) }

    private static func signatures(of model: OpaquePointer, _ functions: LiteRtFunctions) -> [Signature] {
        var count = 0
        guard functions.GetNumModelSignatures(model, &count) == kLiteRtOk else { return [] }
        return (0..<count).compactMap { index in
            var signature: OpaquePointer?
            var key: UnsafePointer<CChar>?
            guard functions.GetModelSignature(model, index, &signature) == kLiteRtOk, let signature,
                functions.GetSignatureKey(signature, &key) == kLiteRtOk, let key
            else { return nil }
            return Signature(
                key: String(cString: key),
                inputs: names(signature, functions.GetNumSignatureInputs, functions.GetSignatureInputName),
                outputs: names(signature, functions.GetNumSignatureOutputs, functions.GetSignatureOutputName)
            )
        }
    }

    private static func names(
        _ signature: OpaquePointer,
        _ count: (OpaquePointer, UnsafeMutablePointer<Int>) -> LiteRtStatusCode,
        _ name: (OpaquePointer, Int, UnsafeMutablePointer<UnsafePointer<CChar>?>) -> LiteRtStatusCode
    ) -> [String] {
        var total = 0
        guard count(signature, &total) == kLiteRtOk else { return [] }
        return (0..<total).map { index in
            var text: UnsafePointer<CChar>?
            guard name(signature, index, &text) == kLiteRtOk, let text else { return "" }
            return String(cString: text)
        }
    }
}
