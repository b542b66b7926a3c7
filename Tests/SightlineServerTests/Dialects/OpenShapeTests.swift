import Foundation
import OnnxRuntime
import Sightline
import SightlineServer
import SightlineTestSupport
import Testing

/// Models in the format ONNX whose inputs have open extents, behind the Open Inference Protocol.
@Suite(
    .hangLimit,
    .enabled(if: (try? OnnxLibrary.shared()) != nil, "ONNX Runtime is not installed; `make runtime` installs it.")
)
struct OpenShapeTests {
    /// A classifier of two classes whose scores are the mean red and the mean blue, for pictures of any number and size.
    private static var classifier: OnnxBuilder {
        var builder = OnnxBuilder()
        builder.input("input", .float32, ["batch", 3, "height", "width"])
        builder.node("GlobalAveragePool", ["input"], ["pooled"])
        builder.node("Flatten", ["pooled"], ["features"])
        builder.constants("weights", [1, 0, 0, 0, 0, 1], [3, 2])
        builder.node("MatMul", ["features", "weights"], ["logits"])
        builder.output("logits", .float32, ["batch", 2])
        return builder
    }

    private func withServer(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appending(path: "open.onnx")
            try Self.classifier.data.write(to: url)
            try await TestServer.with(models: [.local(LocalModel(url: url), text: "open")], body)
        }
    }

    private static func request(_ shape: [Int], _ data: [Float]) -> [String: Any] {
        ["inputs": [["name": "input", "shape": shape, "datatype": "FP32", "data": data] as [String: Any]]]
    }

    @Test func aRequestChoosesTheExtentsThatTheFileLeavesOpen() async throws {
        try await withServer { server in
            let model = try await server.send(.get, "/v2/models/open")
            #expect(model.value("inputs.0.shape") as? [Int] == [-1, 3, -1, -1])
            #expect(model.string("platform") == "onnxruntime_onnx")
            // Two pictures of two pixels, then one of one pixel.
            let two: [Float] = [1, 3, 0, 0, 4, 6, 10, 30, 0, 0, 40, 60]
            let pair = try await server.post("/v2/models/open/infer", json: Self.request([2, 3, 1, 2], two))
            #expect(pair.value("outputs.0.shape") as? [Int] == [2, 2])
            #expect(pair.value("outputs.0.data") as? [Double] == [2, 5, 20, 50])
            let one = try await server.post("/v2/models/open/infer", json: Self.request([1, 3, 1, 1], [7, 0, 9]))
            #expect(one.value("outputs.0.data") as? [Double] == [7, 9])
        }
    }

    @Test func extentsThatTheFileStatesAreFixed() async throws {
        try await withServer { server in
            for (shape, data) in [([1, 1, 1, 3], [1, 2, 3]), ([1, 3, 0, 1], []), ([3, 1, 1], [1, 2, 3])]
                as [([Int], [Float])]
            {
                let reply = try await server.post("/v2/models/open/infer", json: Self.request(shape, data))
                #expect(reply.status == 400)
                #expect(reply.string("error")?.contains("[-1, 3, -1, -1], where −1 stands for any extent") == true)
            }
        }
    }

    @Test func aRequestThatClaimsAnEnormousTensorIsRefused() async throws {
        try await withServer { server in
            for extent in [1 << 40, 1 << 20] {
                let request = Self.request([1, 3, extent, extent], [1])
                let reply = try await server.post("/v2/models/open/infer", json: request)
                #expect(reply.status >= 400)
            }
        }
    }
}
