import Foundation
import SightlineTestSupport
import TensorFlowLite
import Testing

@Suite(.hangLimit) struct ModelFileTests {
    @Test func aModelThatIsOverwrittenInPlaceRunsOn() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "m.tflite")
            try Data(contentsOf: TestData.fixture("models/add.tflite")).write(to: file)
            let model = try Model(contentsOf: file)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 0)
            try handle.close()
            let interpreter = try Interpreter(model: model, options: Interpreter.Options())
            try interpreter.allocateTensors()
            try interpreter.copy(withUnsafeBytes(of: (Float(1), Float(2))) { Data($0) }, toInputAt: 0)
            try interpreter.invoke()
            let output = try interpreter.output(at: 0).data
            #expect(output == withUnsafeBytes(of: (Float(3), Float(6))) { Data($0) })
        }
    }

    @Test func aPipeIsNoModelAndDoesNotWait() throws {
        try withTemporaryFolder { folder in
            let pipe = folder.appending(path: "pipe").path
            #expect(mkfifo(pipe, 0o600) == 0)
            #expect(throws: ModelError.self) { try Model(contentsOf: URL(filePath: pipe)) }
        }
    }

    /// A letter of the content is a byte.
    @Test(arguments: [
        ("version https://git-lfs.github.com/spec/v1", "a Git LFS pointer"),
        ("\u{80}\u{2}\u{8A}\u{A}l\u{FC}\u{9C}F\u{F9} ", "a PyTorch model"),
        ("\u{8}\u{9}\u{12}\u{7}pytorch", "an ONNX model"),
        ("\u{8}\u{8}:\u{7}\u{A}\u{5}\u{12}\u{3}", "an ONNX model"),
        ("\u{8}\u{5}\u{12}\u{7}\u{A}\u{5}\u{A}\u{3}", "a Core ML model"),
        ("\u{8}\u{1}\u{12}\u{90}\u{2}\u{A}\u{5}\u{A}\u{3}", "a SavedModel of TensorFlow"),
        ("\u{A}\u{14}\u{A}\u{1}x\u{12}\u{B}Placeholder", "a graph of TensorFlow"),
        ("\u{89}HDF\u{D}\u{A}", "a Keras model"),
        (
            "PK\u{3}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{D}\u{0}\u{0}\u{0}metadata.json",
            "a Keras model"
        ),
        ("GGUF\u{3}", "a language model in GGUF"),
        ("\u{80}\u{4}\u{95}\u{1}", "a Python pickle"),
        ("\u{1F}\u{8B}\u{8}\u{0}", "a compressed archive"),
        ("\u{FF}\u{D8}\u{FF}\u{E0}\u{0}", "a picture"),
        ("<?xml version=\"1.0\"?><net name=\"m\">", "an XML file, perhaps of OpenVINO"),
        ("const unsigned char model[] = {0x1c", "source code with a model in it"),
        ("\u{1C}\u{0}\u{0}\u{0}TFL2\u{0}\u{0}", "a TensorFlow Lite model of an older format"),
        ("{\"names\": []}", "a JSON file"),
        ("no model", "a text"),
        ("<!DOCTYPE html>", "a web page"),
        ("\u{1}\u{2}\u{3}", "only 3 bytes, 01 02 03"), ("\u{1}", "only one byte, 01"),
        ("\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}", "bytes that begin with 01 02 03 04 05 06 07 08"),
        (String(repeating: "\u{0}", count: 9000), "zeros, such as an unfinished copy has"),
    ])
    func aFileOfAnotherKindIsNamed(content: String, expected: String) throws {
        let bytes = Data(content.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        #expect {
            try Model(data: bytes)
        } throws: { error in
            if case ModelError.notAModel(let found, _) = error { found == expected } else { false }
        }
    }
}
