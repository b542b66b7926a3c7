import Foundation
import ModelHub
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct ConfigurationTests {
    private static let list = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>API_KEY</key><string>k</string><key>PROJECT_ID</key><string>my-plants</string>
        <key>GOOGLE_APP_ID</key><string>1:2:ios:3</string><key>BUNDLE_ID</key><string>org.example.plants</string>
        </dict></plist>
        """

    private func read(_ text: String, hub: String? = nil) throws -> ModelHubConfiguration {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "configuration")
            try Data(text.utf8).write(to: file)
            return try ModelHubConfiguration(contentsOf: file, hub: hub.flatMap { URL(string: $0) })
        }
    }

    @Test func firebasesPropertyListIsReadAndTheHubIsNamedBesideIt() throws {
        let configuration = try read(Self.list, hub: "https://models.example.org")
        #expect(configuration.hub.absoluteString == "https://models.example.org")
        #expect((configuration.projectID, configuration.apiKey) == ("my-plants", "k"))
        #expect((configuration.appID, configuration.bundleID) == ("1:2:ios:3", "org.example.plants"))
        #expect(throws: ConfigurationError.self) { try read(Self.list) }
    }

    @Test func jsonIsRead() throws {
        let configuration = try read(#"{"hub":"http://127.0.0.1:8080","projectID":"my-plants","apiKey":"k"}"#)
        #expect(
            configuration
                == ModelHubConfiguration(
                    hub: try #require(URL(string: "http://127.0.0.1:8080")),
                    projectID: "my-plants",
                    apiKey: "k"
                )
        )
    }

    @Test(arguments: [
        "", "[]", "{", "text", #"{"hub":"x","projectID":"p","apiKey":"k"}"#,
        #"{"hub":"http://h","projectID":5,"apiKey":"k"}"#,
    ])
    func anythingElseIsAnError(_ text: String) {
        #expect(throws: ConfigurationError.self) { try read(text) }
    }

    @Test func trustedRootsAreFoundFromTheFolderOfTheFile() throws {
        let configuration = try read(
            #"{"hub":"https://h","projectID":"my-plants","apiKey":"k","trustedRoots":"roots/ours.pem"}"#
        )
        #expect(configuration.trustedRoots?.path.hasSuffix("/roots/ours.pem") == true)
        #expect(configuration.trustedRoots?.path.hasPrefix("/roots") == false)
    }

    private static let keys = [String(repeating: "A", count: 43), String(repeating: "B", count: 42) + "A"]

    @Test func trustedKeysAreReadFromBothForms() throws {
        let keys = try Self.keys.map { try TrustedKey($0) }
        let list = #"["\#(Self.keys[0])", "\#(Self.keys[1])"]"#
        let json = try read(#"{"hub":"https://h","projectID":"my-plants","apiKey":"k","trustedKeys":\#(list)}"#)
        #expect(json.trustedKeys == keys)
        let strings = Self.keys.map { "<string>\($0)</string>" }.joined()
        let plist = Self.list.replacing(
            "</dict>",
            with: "<key>MODEL_HUB_TRUSTED_KEYS</key><array>\(strings)</array></dict>"
        )
        #expect(try read(plist, hub: "https://h").trustedKeys == keys)
        #expect(keys[0].id.count == 40 && keys[0].id != keys[1].id)
    }

    @Test(arguments: [
        "[]", "null", "5", #""""#, "\"\(keys[0])\"", #"["abc"]"#, "[\"\(keys[0])=\"]", "[\"\(keys[0])\", 5]",
        #"{"a": "b"}"#,
    ])
    func aMistakeInTheTrustedKeysTurnsNothingOff(_ keys: String) throws {
        #expect(throws: ConfigurationError.self) {
            try read(#"{"hub":"https://h","projectID":"my-plants","apiKey":"k","trustedKeys":\#(keys)}"#)
        }
    }
}
