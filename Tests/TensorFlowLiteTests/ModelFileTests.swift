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

    @Test(arguments: [
        (Data("version https://git-lfs.github.com/spec/v1".utf8), "a Git LFS pointer"),
        (Data([0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20]), "a PyTorch model"),
        (Data([8, 9, 0x12, 7]) + Data("pytorch".utf8), "an ONNX model"),
        (Data("<!DOCTYPE html>".utf8), "a web page"),
        (Data([1, 2, 3]), "bytes that begin with 01 02 03"),
    ])
    func aFileOfAnotherKindIsNamed(content: Data, expected: String) throws {
        #expect {
            try Model(data: content)
        } throws: { error in
            if case ModelError.notAModel(let found, _) = error { found == expected } else { false }
        }
    }
}
