import Foundation
import TensorFlowLite

/// The floor: nothing but the model itself, run on an input that already lies in its tensor, on one thread.
///
/// In a row that runs several models, the floor runs the same ones as often.
final class Floor: Contender {
    let name = "floor"
    private(set) var finding = ""
    private let runs: [Interpreter]

    /// - Parameter models: the models in the order they run; a model that runs several times appears as often.
    init(models: [URL]) throws {
        var compiled: [URL: Interpreter] = [:]
        runs = try models.map { url in
            if let known = compiled[url] { return known }
            let interpreter = try Interpreter(modelPath: url.path)
            try interpreter.allocateTensors()
            for index in 0..<interpreter.inputTensorCount {
                try Self.fill(interpreter, inputAt: index)
            }
            compiled[url] = interpreter
            return interpreter
        }
        finding = "\(runs.count) invoke\(runs.count == 1 ? "" : "s")"
    }

    func measure(_ clock: Clock) throws -> Double {
        try clock.milliseconds {
            for interpreter in runs { try interpreter.invoke() }
        }
    }

    /// Fills an input with values of an ordinary picture's range: floats in −1…1, bytes in 0…255.
    private static func fill(_ interpreter: Interpreter, inputAt index: Int) throws {
        let input = try interpreter.input(at: index)
        let count = input.shape.elementCount ?? 0
        // A small linear congruential generator: the same values at every run.
        var state: UInt32 = 1
        let bytes = (0..<count).map { _ -> UInt8 in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
        if input.dataType == .float32 {
            let values = bytes.map { Float($0) / 127.5 - 1 }
            try interpreter.copy(values.withUnsafeBytes { Data($0) }, toInputAt: index)
        } else {
            try interpreter.copy(Data(bytes), toInputAt: index)
        }
    }
}
