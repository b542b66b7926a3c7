import Foundation

/// A reader of bytes from outside. A fault is a trap, an overflow that the address sanitizer sees, an answer that takes long, or a promise
/// that ``require(_:_:)`` finds broken.
struct FuzzTarget: Sendable {
    /// The name on the command line, which is also that of its corpus.
    let name: String
    /// Reads an input. Errors of the reader are answers.
    let read: @Sendable (Data) throws -> Void

    /// All targets.
    static let all = [
        archive, coco, condition, detections, form, headers, jsonProtocol, labels, manifest, model, mqtt, onnx,
        optimizer,
        pattern, picture, template, upload, xml,
    ]
}

/// Ends the process unless a promise of a reader holds.
func require(_ condition: @autoclosure () throws -> Bool, _ promise: String) {
    guard (try? condition()) == true else { fatalError("broken promise: \(promise)") }
}
