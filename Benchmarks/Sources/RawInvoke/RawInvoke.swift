import Foundation
import TensorFlowLite

/// Runs a model once on given bytes: `raw-invoke MODEL [FOLDER]`.
///
/// With a folder, input i is read from `input<i>.bin` there and output i written to `output<i>.bin`, and a JSON array on
/// standard output names the outputs and their files. Without one, inputs are zeros and only the number of output bytes
/// is printed: that is the base of the memory figures.
@main
enum RawInvoke {
    /// An output as it is announced on standard output.
    private struct Output: Encodable {
        let name: String
        let file: String
    }

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard let model = arguments.first, arguments.count <= 2 else {
            fail("usage: raw-invoke MODEL [FOLDER]")
        }
        do {
            try run(modelPath: model, folder: arguments.dropFirst().first.map { URL(filePath: $0) })
        } catch {
            fail("\(error)")
        }
    }

    private static func run(modelPath: String, folder: URL?) throws {
        let interpreter = try Interpreter(modelPath: modelPath)
        try interpreter.allocateTensors()
        for index in 0..<interpreter.inputTensorCount {
            if let folder {
                try interpreter.copy(Data(contentsOf: folder.appending(path: "input\(index).bin")), toInputAt: index)
            } else {
                let input = try interpreter.input(at: index)
                let bytes = (input.shape.elementCount ?? 0) * input.dataType.byteCount
                try interpreter.copy(Data(count: bytes), toInputAt: index)
            }
        }
        try interpreter.invoke()

        let outputs = try (0..<interpreter.outputTensorCount).map { try interpreter.output(at: $0) }
        guard let folder else {
            print(outputs.reduce(0) { $0 + $1.data.count })
            return
        }
        var announced: [Output] = []
        for (index, tensor) in outputs.enumerated() {
            let file = "output\(index).bin"
            try tensor.data.write(to: folder.appending(path: file))
            announced.append(Output(name: tensor.name, file: file))
        }
        print(String(decoding: try JSONEncoder().encode(announced), as: UTF8.self))
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(1)
    }
}
