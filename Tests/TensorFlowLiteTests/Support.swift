import Foundation
import SightlineTestSupport
import TensorFlowLite

/// The fixture model of that name.
func fixture(_ name: String) throws -> Model {
    try Model(contentsOf: TestData.fixture("models/\(name).tflite"))
}

/// The bytes of the fixture model of that name.
func fixtureData(_ name: String) throws -> Data {
    try Data(contentsOf: TestData.fixture("models/\(name).tflite"))
}

/// An interpreter with memory for the fixture model of that name.
func interpreter(_ name: String) throws -> Interpreter {
    let interpreter = try Interpreter(model: fixture(name))
    try interpreter.allocateTensors()
    return interpreter
}

extension Data {
    /// The bytes of the values as they lie in memory.
    init<T: BitwiseCopyable>(values: [T]) {
        self = values.withUnsafeBytes { Data($0) }
    }

    /// The bytes read as values of the given type.
    func values<T: BitwiseCopyable>(as type: T.Type) -> [T] {
        let stride = MemoryLayout<T>.stride
        return withUnsafeBytes { bytes in
            (0..<bytes.count / stride).map { bytes.loadUnaligned(fromByteOffset: $0 * stride, as: T.self) }
        }
    }

    /// The data with every occurrence of some bytes replaced by others of the same number.
    func replacing(_ bytes: [UInt8], with others: [UInt8]) -> Data {
        var copy = self
        while let range = copy.range(of: Data(bytes)) { copy.replaceSubrange(range, with: others) }
        return copy
    }
}
