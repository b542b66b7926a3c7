import Foundation
import HTTPTypes
import Sightline
import SightlineServer
import SightlineTestSupport
import SightlineTesting
import TensorFlowLite
import Testing

@Suite(.hangLimit)
struct OpenInferenceTests {
    /// The input of `colors`, all red.
    private struct Red {
        let name: String
        let shape: [Int]
        let data: Data
        /// The outputs of the model without any server.
        let scores: [Float]
        let output: String

        init() throws {
            let model = try TestModels.colorClassifier.readTensorFlowLite()
            let interpreter = try Interpreter(model: model)
            try interpreter.allocateTensors()
            (name, shape) = (model.inputs[0].name, model.inputs[0].defaultShape.dimensions)
            let count = try #require(model.inputs[0].defaultShape.elementCount)
            let elements = (0..<count).map { Float($0 % 3 == 0 ? 1 : 0) }
            data = elements.withUnsafeBytes { Data($0) }
            try interpreter.copy(data, toInputAt: 0)
            try interpreter.invoke()
            let result = try interpreter.output(at: 0)
            scores = result.data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            output = result.name
        }

        var numbers: [Float] { data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) } }

        func json(_ changes: [String: Any?] = [:]) -> [String: Any] {
            var input: [String: Any?] = ["name": name, "shape": shape, "datatype": "FP32", "data": numbers]
            input.merge(changes) { $1 }
            return ["inputs": [input.compactMapValues { $0 }]]
        }
    }

    @Test func aServerTellsItsNameHealthAndModels() async throws {
        try await TestServer.with { server in
            let about = try await server.send(.get, "/v2")
            #expect(about.string("name") == "sightline" && about.string("extensions.0") == "binary_tensor_data")
            for path in ["health/live", "health/ready", "models/colors/ready"] {
                let reply = try await server.send(.get, "/v2/\(path)")
                #expect(reply.status == 200 && reply.body.isEmpty)
            }
            let model = try await server.send(.get, "/v2/models/colors")
            #expect(model.string("name") == "colors" && model.string("platform") == "tflite")
            #expect(
                model.string("inputs.0.datatype") == "FP32" && model.value("inputs.0.shape") as? [Int] == [1, 8, 8, 3]
            )
            let version = try #require(model.string("versions.0"))
            #expect(try await server.send(.get, "/v2/models/colors/versions/\(version)/ready").status == 200)
            let other = try await server.send(.get, "/v2/models/colors/versions/1/ready")
            #expect(other.status == 404 && other.string("error")?.contains(version) == true)
            #expect(try await server.send(.get, "/v2/models/cats/ready").status == 404)
        }
    }

    @Test func tensorsInJSONGiveTheModelsOutputs() async throws {
        let red = try Red()
        try await TestServer.with { server in
            var request = red.json()
            request["id"] = "42"
            let reply = try await server.post("/v2/models/colors/infer", json: request)
            #expect(reply.status == 200 && reply.string("id") == "42" && reply.string("model_name") == "colors")
            #expect(reply.string("outputs.0.name") == red.output && reply.string("outputs.0.datatype") == "FP32")
            let scores = try #require(reply.value("outputs.0.data") as? [Double])
            #expect(scores.map { Float($0) } == red.scores)
        }
    }

    @Test func listsMayBeNestedAsTheShapeIs() async throws {
        let red = try Red()
        try await TestServer.with { server in
            let row = Array(repeating: [1, 0, 0], count: 8)
            let nested = [Array(repeating: row, count: 8)]
            let reply = try await server.post("/v2/models/colors/infer", json: red.json(["data": nested]))
            #expect((reply.value("outputs.0.data") as? [Double])?.map { Float($0) } == red.scores)
        }
    }

    @Test func binaryTensorsGiveTheModelsOutputsAsBytes() async throws {
        let red = try Red()
        try await TestServer.with { server in
            var request = red.json(["data": nil, "parameters": ["binary_data_size": red.data.count]])
            request["parameters"] = ["binary_data_output": true]
            let head = try JSONSerialization.data(withJSONObject: request)
            let length = try #require(HTTPField.Name("Inference-Header-Content-Length"))
            let reply = try await server.send(
                .post,
                "/v2/models/colors/infer",
                head + red.data,
                headers: [.contentType: "application/octet-stream", length: "\(head.count)"]
            )
            let split = try #require(reply.headers[length].flatMap { Int($0) })
            let bytes = reply.body.dropFirst(split)
            #expect(bytes == red.scores.withUnsafeBytes { Data($0) })
            let json = Reply(status: 200, headers: [:], body: reply.body.prefix(split))
            #expect(json.number("outputs.0.parameters.binary_data_size") == Double(bytes.count))
        }
    }

    @Test func aRequestMayNameItsOutputs() async throws {
        let red = try Red()
        try await TestServer.with { server in
            var request = red.json()
            request["outputs"] = [["name": "cats"]]
            let reply = try await server.post("/v2/models/colors/infer", json: request)
            #expect(reply.status == 400 && reply.string("error")?.contains(red.output) == true)
        }
    }

    /// Changes of the input, and a word of the answer.
    @Test(arguments: [
        (#"{"shape": [1, 8, 8, 4]}"#, "[1, 8, 8, 3]"), (#"{"datatype": "UINT8"}"#, "needs FP32"),
        (#"{"name": "cats"}"#, "no input cats"), (#"{"data": [1, 2]}"#, "has 2 elements"),
        (#"{"data": ["a"]}"#, "Element 0"), (#"{"data": [1e39]}"#, "Element 0"), (#"{"data": [0x1]}"#, "Element 0"),
        (#"{"data": 1}"#, "not a list"), (#"{"data": [1, [2}"#, "not"), (#"{"data": [1,,2]}"#, "Element 1"),
        (#"{"parameters": {"binary_data_size": 3}}"#, "both"), (#"{"shape": "big"}"#, "shape"),
    ])
    func aTensorThatDoesNotFitIsRefused(change: String, word: String) async throws {
        let red = try Red()
        try await TestServer.with { server in
            var parts = [
                "name": "\"\(red.name)\"", "shape": "\(red.shape)", "datatype": "\"FP32\"", "data": "\(red.numbers)",
            ]
            let (key, value) = try #require(Self.field(change))
            parts[key] = value
            let input = parts.map { "\"\($0)\": \($1)" }.joined(separator: ", ")
            let reply = try await server.send(.post, "/v2/models/colors/infer", Data("{\"inputs\": [{\(input)}]}".utf8))
            #expect(reply.status == 400, "\(reply.text)")
            #expect(reply.string("error")?.contains(word) == true, "\(reply.text)")
        }
    }

    /// The key and the value of an object with one field, which need not be JSON.
    private static func field(_ text: String) -> (String, String)? {
        text.wholeMatch(of: /\{"(\w+)": (.*)\}/).map { (String($0.1), String($0.2)) }
    }

    @Test func elementsTooManyEndTheRequest() async throws {
        let red = try Red()
        try await TestServer.with { server in
            let many = Array(repeating: 0, count: 20_000)
            let reply = try await server.post("/v2/models/colors/infer", json: red.json(["data": many]))
            #expect(reply.status == 400 && reply.string("error")?.contains("more than 192 elements") == true)
        }
    }

    @Test func jsonAroundTensorsIsSmall() async throws {
        let red = try Red()
        try await TestServer.with { server in
            var request = red.json()
            request["junk"] = Array(repeating: 0, count: 100_000)
            let reply = try await server.post("/v2/models/colors/infer", json: request)
            #expect(reply.status == 400 && reply.string("error")?.contains("65536 bytes") == true)
        }
    }

    @Test(arguments: ["-1", "100000", "ten"])
    func theLengthOfTheJSONLiesInTheBody(length: String) async throws {
        try await TestServer.with { server in
            let name = try #require(HTTPField.Name("Inference-Header-Content-Length"))
            let reply = try await server.send(
                .post,
                "/v2/models/colors/infer",
                Data("{}".utf8),
                headers: [name: length]
            )
            #expect(reply.status == 400 && reply.string("error")?.contains("Inference-Header-Content-Length") == true)
        }
    }

    /// Bodies of a request with binary elements whose frame is wrong, the length of the JSON that they claim, and a word of the answer.
    @Test(arguments: [
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}]}"#,
            nil as Int?, "Inference-Header-Content-Length"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":5}}]}"#, 0,
            "4 bytes are left"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":3}}]}"#, 0,
            "belong to no input"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":"4"}}]}"#, 0,
            "whole number"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":1.5}}]}"#, 0,
            "whole number"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":-4}}]}"#, 0,
            "-4 bytes"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}]}"#, -3,
            "not JSON"
        ),
        (
            #"{"inputs":[{"name":"a","shape":[1],"datatype":"FP32","parameters":{"binary_data_size":4}}]}"#, 2,
            "not JSON"
        ),
    ])
    func aWrongFrameOfBinaryDataIsExplained(json: String, change: Int?, word: String) async throws {
        try await TestServer.with { server in
            let name = try #require(HTTPField.Name("Inference-Header-Content-Length"))
            var headers = HTTPFields()
            if let change { headers[name] = "\(json.utf8.count + change)" }
            let body = Data(json.utf8) + Data([1, 0, 0, 0])
            let reply = try await server.send(.post, "/v2/models/colors/infer", body, headers: headers)
            #expect(reply.status == 400, "\(reply.text)")
            #expect(reply.string("error")?.contains(word) == true, "\(reply.text)")
        }
    }

    /// `{"inputs": []}` as gzip and as zlib write it.
    @Test(arguments: [
        ("gzip", "H4sIAAAAAAACA6tWyswrKC0pVrJSiI6tBQBF9v/pDgAAAA=="), ("deflate", "eJyrVsrMKygtKVayUoiOrQUAJiAE8g=="),
    ])
    func aBodyMayBeCompressed(coding: String, text: String) async throws {
        try await TestServer.with { server in
            let body = try #require(Data(base64Encoded: text))
            let path = "/v2/models/colors/infer"
            let reply = try await server.send(.post, path, body, headers: [.contentEncoding: coding])
            #expect(reply.status == 400 && reply.string("error")?.contains("lacks the input") == true, "\(reply.text)")
            let damaged = try await server.send(.post, path, Data("no".utf8), headers: [.contentEncoding: coding])
            #expect(damaged.status == 400 && damaged.string("error")?.contains(coding) == true)
            #expect(try await server.send(.post, path, body, headers: [.contentEncoding: "br"]).status == 415)
        }
    }

    @Test func clientsOfTritonGetTheListOfModelsAndTheirConfiguration() async throws {
        try await TestServer.with { server in
            let list = try await server.send(.post, "/v2/repository/index")
            #expect(list.string("0.name") == "blocks" && list.string("1.state") == "READY" && list.count("") == 2)
            let config = try await server.send(.get, "/v2/models/colors/config")
            #expect(config.string("input.0.data_type") == "TYPE_FP32" && config.number("max_batch_size") == 0)
            #expect(config.value("input.0.dims") as? [Int] == [1, 8, 8, 3])
            #expect(try await server.send(.get, "/v2/models/cats/config").status == 404)
        }
    }

    @Test func numbersThatJSONCannotHoldNeedBinaryData() async throws {
        let model = LocalModel(url: TestData.fixture("models/classifier_nan.tflite"))
        try await TestServer.with(models: [.local(model, text: "nan")]) { server in
            let input = try await server.send(.get, "/v2/models/nan")
            let shape = try #require(input.value("inputs.0.shape") as? [Int])
            var request: [String: Any] = [
                "inputs": [
                    [
                        "name": input.string("inputs.0.name") ?? "", "shape": shape, "datatype": "FP32",
                        "data": Array(repeating: 0, count: shape.reduce(1, *)),
                    ]
                ]
            ]
            let refused = try await server.post("/v2/models/nan/infer", json: request)
            #expect(refused.status == 400 && refused.string("error")?.contains("binary") == true)
            request["parameters"] = ["binary_data_output": true]
            #expect(try await server.post("/v2/models/nan/infer", json: request).status == 200)
        }
    }

    @Test func aPictureGivesNamedObjects() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.redAndBlue.png().base64EncodedString()
            let input: [String: Any] = ["name": "image", "shape": [1], "datatype": "BYTES", "data": [picture]]
            let reply = try await server.post("/v2/models/blocks/infer", json: ["inputs": [input]])
            #expect(reply.value("outputs.0.shape") as? [Int] == [2, 4])
            let labels = try #require(reply.value("outputs.2.data") as? [String])
            let boxes = try #require(reply.value("outputs.0.data") as? [Double])
            let red = try #require(labels.firstIndex(of: "red"))
            #expect(
                labels.sorted() == ["blue", "red"] && Array(boxes[(4 * red)..<(4 * red + 4)]) == [40, 60, 120, 120]
            )
            let request: [String: Any] = ["inputs": [input], "parameters": ["max-objects": 1]]
            let one = try await server.post("/v2/models/blocks/infer", json: request)
            #expect(one.value("outputs.1.shape") as? [Int] == [1])
            let wrong: [String: Any] = ["inputs": [input], "parameters": ["cats": 1]]
            #expect(try await server.post("/v2/models/blocks/infer", json: wrong).status == 400)
        }
    }

    @Test func aPictureInBinaryDataGivesLabels() async throws {
        try await TestServer.with { server in
            let picture = try TestScene.plain(.green).png()
            let element = withUnsafeBytes(of: UInt32(picture.count).littleEndian) { Data($0) } + picture
            let input: [String: Any] = [
                "name": "image", "shape": [1], "datatype": "BYTES", "parameters": ["binary_data_size": element.count],
            ]
            let head = try JSONSerialization.data(withJSONObject: ["inputs": [input]])
            let length = try #require(HTTPField.Name("Inference-Header-Content-Length"))
            let reply = try await server.send(
                .post,
                "/v2/models/colors/infer",
                head + element,
                headers: [length: "\(head.count)"]
            )
            #expect(reply.string("outputs.1.data.0") == "green")
        }
    }
}
