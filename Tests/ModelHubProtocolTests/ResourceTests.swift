import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct ResourceTests {
    private func json(_ value: some Encodable) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? NSDictionary)
    }

    private let model = ModelResource(
        name: "projects/my-plants/models/10000001",
        displayName: "plants",
        tags: nil,
        createTime: "2026-11-21T15:00:00.250Z",
        updateTime: "2026-11-21T15:00:00.250Z",
        etag: "e",
        modelHash: nil,
        state: ModelResource.State(published: false),
        tfliteModel: nil
    )

    @Test(arguments: ["https://h/files/a?x=1&y=2", "quote\" back\\slash", "line\nbreak\u{1}\u{0}", "ümläut 🌱"])
    func theHandwrittenJSONOfADownloadIsThatOfTheEncoder(_ address: String) throws {
        for threshold in [nil, 0, 0.25, 1, 1e-9] {
            let resource = DownloadResource(
                downloadUri: address,
                expireTime: "2026-11-21T15:00:00.250Z",
                byteCount: 123,
                confidenceThreshold: threshold
            )
            let text = Data(resource.json.utf8)
            #expect(try JSONDecoder().decode(DownloadResource.self, from: text) == resource)
            #expect(try JSONSerialization.jsonObject(with: text) as? NSDictionary == json(resource))
        }
    }

    @Test(arguments: ["0", "-5", "x", "99999999999999999999", "9000000000000000000", ""])
    func aSizeThatNoModelHasIsNone(_ size: String) throws {
        let text = Data(#"{"downloadUri":"x","sizeBytes":"\#(size)"}"#.utf8)
        #expect(try JSONDecoder().decode(DownloadResource.self, from: text).byteCount == nil)
    }

    @Test func aChangeIsAnOperationWithTheModelAndItsType() throws {
        let operation = try json(OperationResource(name: "projects/p/operations/1", model: model))
        let response = try #require(operation["response"] as? NSDictionary)
        #expect(response["@type"] as? String == "type.googleapis.com/google.firebase.ml.v1beta2.Model")
        #expect(response["displayName"] as? String == "plants")
        #expect((response["state"] as? NSDictionary)?["published"] as? Bool == false)
        #expect(response["tags"] == nil)
        let metadata = try #require(operation["metadata"] as? NSDictionary)
        #expect(
            metadata == [
                "@type": "type.googleapis.com/google.firebase.ml.v1beta2.ModelOperationMetadata",
                "name": model.name, "basicOperationStatus": "BASIC_OPERATION_STATUS_UNSPECIFIED",
            ]
        )
        #expect(operation["done"] as? Bool == true && operation["error"] == nil)
    }

    @Test func aFailureIsAnOperationWithAnError() throws {
        let failed = OperationResource(name: "projects/p/operations/1", error: RPCStatus(code: 6, message: "m"))
        let operation = try json(failed)
        #expect(operation["error"] as? NSDictionary == ["code": 6, "message": "m"])
        #expect(operation["response"] == nil)
        #expect((operation["metadata"] as? NSDictionary)?["name"] == nil)
        let read = try JSONDecoder().decode(OperationResource.self, from: JSONEncoder().encode(failed))
        #expect(read.error == RPCStatus(code: 6, message: "m") && read.model == nil)
    }

    @Test func anOperationIsReadAgain() throws {
        let data = try JSONEncoder().encode(OperationResource(name: "n", model: model))
        let read = try JSONDecoder().decode(OperationResource.self, from: data)
        #expect(read.model?.id == "10000001")
    }

    @Test func aResourceOfFirebaseWithoutStateIsRead() throws {
        let text = Data(
            #"{"name":"a/b","displayName":"b","createTime":"","updateTime":"","etag":"e","state":{}}"#.utf8
        )
        #expect(try JSONDecoder().decode(ModelResource.self, from: text).state?.published == nil)
    }

    @Test func anErrorHasTheFormOfGooglesServices() {
        let body = ErrorBody(code: 404, message: "m", status: "NOT_FOUND")
        // The space after a colon is what Firebase's iOS SDK looks for.
        #expect(body.json == #"{"error": {"code": 404, "message": "m", "status": "NOT_FOUND"}}"#)
        #expect(ErrorBody.message(in: Data(body.json.utf8)) == "m")
        let strange = "a\"b/\n\u{1}é"
        let text = ErrorBody(code: 400, message: strange, status: "X").json
        #expect(ErrorBody.message(in: Data(text.utf8)) == strange)
    }

    @Test(arguments: ["", "<html>", "{}", #"{"error":"x"}"#, #"{"error":{}}"#])
    func otherBodiesHaveNoMessage(_ text: String) {
        #expect(ErrorBody.message(in: Data(text.utf8)) == nil)
    }
}
