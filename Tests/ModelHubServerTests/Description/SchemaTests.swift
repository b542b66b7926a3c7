import HTTPServing
import Testing

@testable import ModelHubServer

struct SchemaTests {
    @Test func aQuestionMarkEndsTheNameOfAnOptionalField() {
        let schema = Schema.object("A version.").fields(["number": .integer(atLeast: 1), "notes?": .text()])
        #expect(
            schema.json.json
                == #"{"type":"object","description":"A version.","required":["number"],"properties":"#
                + #"{"number":{"type":"integer","minimum":1},"notes":{"type":"string"}}}"#
        )
    }

    @Test func aNamedSchemaStandsOnceAndIsReferredTo() {
        let inner = Schema.fields(["next?": .reference("Inner")]).named("Inner")
        let outer = Schema.list(of: .map(of: .fields(["inner": inner]).closed))
        #expect(Array(outer.parts.keys) == ["Inner"])
        #expect(inner.json.json == ##"{"$ref":"#/components/schemas/Inner"}"##)
        #expect(inner.described("Here.").json.json == ##"{"$ref":"#/components/schemas/Inner","description":"Here."}"##)
        #expect(outer.json.json.contains(#""additionalProperties":false"#))
    }

    @Test func headRequestsHaveTheAnswersWithoutBodies() throws {
        let get = APIOperation(.apps, "getFile", "Get a file").explained("At once.")
            .answers("The file.", .empty)
            .head("checkFile", "Check a file")
        let head = try #require(get.headOperation)
        #expect(
            head.json(
                path: "/files/{hash}",
                security: RouteAccess.ofHandler(.apiKey).security,
                parts: APIParameter.inPath
            ).json
                == #"{"operationId":"checkFile","tags":["Apps"],"summary":"Check a file","#
                + #""security":[{"apiKey":[]},{"apiKeyInQuery":[]}],"parameters":[{"name":"hash","in":"path","#
                + #""required":true,"description":"The SHA-256 of the file.","schema":{"type":"string"}}],"#
                + ##""responses":{"200":{"description":"The file."},"default":{"$ref":"#/components/responses/Error"}}}"##
        )
        #expect(APIOperation(.apps, "getFile", "Get a file").headOperation?.tag == nil)
    }
}
