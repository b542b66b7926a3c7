import Firebase
import Foundation
import HubTestSupport
import SightlineTestSupport
import Testing

@Suite(.hangLimit)
struct FirebaseAppTests {
    private static func list(_ more: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict>
        <key>API_KEY</key><string>k</string><key>PROJECT_ID</key><string>my-plants</string>
        <key>GOOGLE_APP_ID</key><string>1:2:ios:3</string><key>BUNDLE_ID</key><string>org.example.plants</string>
        <key>GCM_SENDER_ID</key><string>2</string><key>STORAGE_BUCKET</key><string>my-plants.appspot.com</string>
        <key>IS_ADS_ENABLED</key><false/>\(more)
        </dict></plist>
        """
    }

    private func options(_ text: String) throws -> FirebaseOptions? {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "GoogleService-Info.plist")
            try Data(text.utf8).write(to: file)
            return FirebaseOptions(contentsOfFile: file.path)
        }
    }

    @Test func theConsolesPropertyListIsRead() throws {
        let options = try #require(try options(Self.list("<key>MODEL_HUB_URL</key><string>https://h.example</string>")))
        #expect(options.googleAppID == "1:2:ios:3" && options.gcmSenderID == "2")
        #expect(options.apiKey == "k" && options.projectID == "my-plants" && options.bundleID == "org.example.plants")
        #expect(options.storageBucket == "my-plants.appspot.com" && options.clientID == nil)
        #expect(options.modelHub?.absoluteString == "https://h.example")
        #expect(options.copy() as? FirebaseOptions == options)
    }

    @Test(arguments: ["", "text", "<plist version=\"1.0\"><dict></dict></plist>", "[1]"])
    func whatIsNoPropertyListGivesNoOptions(_ text: String) throws {
        #expect(try options(text) == nil)
        #expect(FirebaseOptions(contentsOfFile: "/nowhere/GoogleService-Info.plist") == nil)
    }

    @Test func anAppKeepsACopyOfItsOptionsAndTheFirstConfigurationStands() async throws {
        let options = FirebaseOptions(googleAppID: "1:2:ios:3", gcmSenderID: "2")
        FirebaseApp.configure(name: "app-tests", options: options)
        options.gcmSenderID = "3"
        FirebaseApp.configure(name: "app-tests", options: options)
        let app = try #require(FirebaseApp.app(name: "app-tests"))
        #expect(app.name == "app-tests" && app.options.gcmSenderID == "2")
        app.options.gcmSenderID = "4"
        #expect(app.options.gcmSenderID == "2")
        #expect(FirebaseApp.allApps?["app-tests"] === app)
        #expect(await app.delete())
        #expect(FirebaseApp.app(name: "app-tests") == nil)
        #expect(await !app.delete())
    }

    @Test func anImpossibleNameIsNoApp() {
        FirebaseApp.configure(name: "no/app", options: FirebaseOptions(googleAppID: "1", gcmSenderID: "2"))
        #expect(FirebaseApp.app(name: "no/app") == nil)
    }

    @Test func withoutAPropertyListThereIsNoDefaultAppAndModelsSayWhy() async throws {
        try await DefaultApp.with(nil) {
            FirebaseApp.configure()
            #expect(FirebaseApp.app() == nil)
            let (error, _) = await pathOfLatest(CustomRemoteModel(name: "plants"))
            #expect(error?.code == 9 && error?.domain == "com.firebase.ml")
            #expect(error?.localizedDescription.contains("GoogleService-Info.plist") == true)
        }
    }

    @Test(arguments: [
        ("API_KEY", nil, 9), ("PROJECT_ID", nil, 9), ("MODEL_HUB_URL", "ftp://h", 3), ("MODEL_HUB_URL", "http://", 3),
    ])
    func optionsThatDoNotSayEnoughAreNamed(_ key: String, _ hub: String?, _ code: Int) async throws {
        let list = Self.list("<key>MODEL_HUB_URL</key><string>\(hub ?? "http://127.0.0.1:1")</string>")
        let options = try #require(try options(hub == nil ? list.replacing(key, with: "X") : list))
        try await DefaultApp.with(options) {
            let (error, _) = await pathOfLatest(CustomRemoteModel(name: "plants"))
            #expect(error?.code == code)
            #expect(error?.localizedDescription.contains(key) == true)
        }
    }
}

/// The default app's manager, asked for a model that may be there.
func pathOfLatest(_ model: CustomRemoteModel) async -> (error: NSError?, path: String?) {
    var result: (NSError?, String?) = (nil, nil)
    ModelManager.modelManager().getLatestModelFilePath(model) { path, error in result = (error as NSError?, path) }
    return result
}
