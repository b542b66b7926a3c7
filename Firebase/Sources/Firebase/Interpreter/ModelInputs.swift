import FacadeSupport
import Foundation

/// The inputs of a run.
#if canImport(ObjectiveC)
    @objc(FIRModelInputs) @objcMembers
#endif
public final class ModelInputs: NSObject {
    /// An input from the caller.
    enum Input: Sendable {
        /// The bytes of the tensor.
        case bytes(Data)
        /// The elements, row by row.
        case numbers([NSNumber])
    }

    private(set) var inputs: [Input] = []

    /// Creates an empty list of inputs.
    public override init() {}

    /// Adds the next input; the first input has index 0.
    ///
    /// - Parameter input: The bytes of the tensor as `Data`, or its elements as a possibly nested array of numbers.
    /// - Throws: An `NSError` with code 3 for any other value.
    public func addInput(_ input: Any) throws {
        if let data = input as? Data {
            inputs.append(.bytes(data))
            return
        }
        var numbers: [NSNumber] = []
        guard let array = input as? [Any], Self.flatten(array, into: &numbers) else {
            let reason = "an input is of the type \(type(of: input)), expected Data or an array of numbers"
            throw FirebaseErrors.translate(FacadeError.modelFormat(reason: reason))
        }
        inputs.append(.numbers(numbers))
    }

    private static func flatten(_ array: [Any], into numbers: inout [NSNumber]) -> Bool {
        array.allSatisfy { element in
            if let nested = element as? [Any] { return flatten(nested, into: &numbers) }
            guard let number = number(element) else { return false }
            numbers.append(number)
            return true
        }
    }

    /// A number of any type. Without Objective-C, Swift's numbers are not converted to `NSNumber` automatically.
    private static func number(_ value: Any) -> NSNumber? {
        switch value {
        case let value as NSNumber: value
        case let value as any BinaryInteger: Int64(exactly: value).map { NSNumber(value: $0) }
        case let value as any BinaryFloatingPoint: NSNumber(value: Double(value))
        default: nil
        }
    }
}
