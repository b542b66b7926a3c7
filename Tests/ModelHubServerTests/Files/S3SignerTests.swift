import Foundation
import HTTPServing
import HubTestSupport
import SightlineTestSupport
import Testing

@testable import ModelHubServer

@Suite(.hangLimit)
struct S3SignerTests {
    private static let signer = S3Signer(
        credentials: S3Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE",
            secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        ),
        region: "us-east-1"
    )
    private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test func noTextOfAClientShowsItsSecrets() throws {
        let credentials = S3Credentials(accessKey: "AKID", secretKey: "hidden-key", sessionToken: "hidden-session")
        let address = try PostgresAddress("postgres://hub:hidden-word@db/hub?sslpassword=hidden-too")
        var options = HTTPService.Options()
        options.metricsToken = Secret("hidden-metrics")
        for value in [S3Signer(credentials: credentials, region: "x"), address, options] as [any Sendable] {
            var texts = ["\(value)", "\([value])", String(reflecting: value)]
            var dumped = ""
            dump(value, to: &dumped)
            texts.append(dumped)
            for text in texts { #expect(!text.contains("hidden"), "\(text)") }
        }
        #expect(credentials.secretKey.text == "hidden-key")
    }

    private struct Example: Sendable {
        var method = "GET"
        var path = "/"
        var query: S3Signer.Fields = []
        var fields: S3Signer.Fields = []
        var payload = S3SignerTests.nothing
        var names = "host;x-amz-content-sha256;x-amz-date"
        var signature: String
    }

    /// The examples of Amazon S3's API reference, "Signature Calculations for the Authorization Header".
    private static let examples = [
        Example(
            path: "/test.txt",
            fields: [("range", "bytes=0-9")],
            names: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            method: "PUT",
            path: "/test$file.text",
            fields: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
            names: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            query: [("lifecycle", "")],
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            query: [("prefix", "J"), ("max-keys", "2")],
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test func signaturesAreThoseOfAmazonsExamples() {
        for example in Self.examples {
            let fields = Self.signer.fields(
                example.method,
                host: "examplebucket.s3.amazonaws.com",
                path: example.path,
                query: example.query,
                fields: example.fields,
                payload: example.payload,
                // 2013-05-24T00:00:00Z
                at: Timestamp(milliseconds: 1_369_353_600_000)
            )
            #expect(
                fields.first { $0.name == "authorization" }?.value
                    == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                    + "SignedHeaders=\(example.names),Signature=\(example.signature)"
            )
        }
    }

    @Test func aTemporaryTokenIsSigned() throws {
        let credentials = try S3Credentials(environment: [
            "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c",
        ])
        let fields = S3Signer(credentials: credentials, region: "r")
            .fields("GET", host: "h", path: "/", payload: Self.nothing, at: .now)
        #expect(fields.contains { $0.name == "x-amz-security-token" && $0.value == "c" })
        #expect(fields.last?.value.contains("x-amz-date;x-amz-security-token") == true)
    }

    @Test(.enabled(if: StorageServer.nanio.isInstalled, StorageServer.reason))
    func aServerThatChecksSignaturesRefusesAWrongKey() async throws {
        var wrong = StorageServer.credentials
        wrong.secretKey.text += "x"
        let client = S3Client(try await StorageServer.nanio.location(), wrong, limits: .ofTests)
        let error = await #expect(throws: HubError.self) { try await client.check() }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("in the bucket hub (status 403, SignatureDoesNotMatch)") == true)
        #expect(error?.message.contains("check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") == true)
    }

    @Test(arguments: StorageServer.available)
    func aMissingBucketIsNamed(_ server: StorageServer) async throws {
        var location = try await server.location()
        location.bucket = "nowhere"
        let client = S3Client(location, StorageServer.credentials, limits: .ofTests)
        let error = await #expect(throws: HubError.self) { _ = try await client.byteCount(of: "x") }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("in the bucket nowhere (status 404, NoSuchBucket); create the bucket") == true)
    }
}

@Suite(.hangLimit)
struct S3LocationTests {
    private func origin(_ location: S3Location) -> String {
        let (scheme, host) = location.origin
        return "\(scheme)://\(host)"
    }

    @Test func anAddressNamesBucketPrefixAndServer() throws {
        let local = try S3Location("s3://models/hub/one?endpoint=http://127.0.0.1:9000", environment: [:])
        #expect([local.bucket, local.prefix, local.region] == ["models", "hub/one/", "us-east-1"])
        #expect(origin(local) == "http://127.0.0.1:9000")
        #expect(local.path(of: local.prefix + "x") == "/models/hub/one/x")
        let amazon = try S3Location("s3://models", environment: ["AWS_REGION": "eu-central-1"])
        #expect(amazon.prefix == "")
        #expect(origin(amazon) == "https://models.s3.eu-central-1.amazonaws.com")
        #expect(amazon.path(of: "x") == "/x")
        let dotted = try S3Location("s3://models.example.org/?region=us-west-2", environment: [:])
        #expect(origin(dotted) == "https://s3.us-west-2.amazonaws.com")
        #expect(dotted.path(of: "x") == "/models.example.org/x")
    }

    @Test(arguments: [
        "", "models", "http://models", "s3://", "s3://MODELS", "s3://a", "s3://models/../x", "s3://models/a%20b",
        "s3://models?endpoint=ftp://x", "s3://models?endpoint=", "s3://models?endpoint=http://user@host",
        "s3://models?endpoint=http://host/path", "s3://models?region=", "s3://models?region=a/b", "s3://models?other=1",
        "s3://models:80/x", "s3://user@models/x", "s3://models/x#y",
    ])
    func otherTextsAreRefused(_ text: String) {
        let error = #expect(throws: HubError.self) { _ = try S3Location(text, environment: [:]) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func missingCredentialsAreNamed() {
        let error = #expect(throws: HubError.self) { _ = try S3Credentials(environment: ["AWS_ACCESS_KEY_ID": "a"]) }
        #expect(error?.message.contains("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY") == true)
    }

    @Test(arguments: ["", "<a", "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "<a><b></a>"])
    func repliesThatAreNotPlainXMLAreRefused(_ text: String) { #expect(S3Reply(Data(text.utf8)) == nil) }
}
