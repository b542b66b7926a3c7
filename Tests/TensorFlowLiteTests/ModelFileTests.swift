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
}
