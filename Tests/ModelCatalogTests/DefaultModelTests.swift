import Foundation
import ModelCatalog
import SightlineTestSupport
import Testing

/// The choice of a default detector in a store.
struct DefaultModelTests {
    /// Calls a body with a store that has the model "boxes".
    private func withStore(_ body: (_ store: ModelStore) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = ModelStore(folder: folder.appending(path: "sightline/models"))
            let model = TestData.fixture("models/ssd_metadata.tflite").path
            var installation = Installation(name: "boxes", source: .file(model))
            installation.acceptsUnverified = true
            try store.install(installation)
            try body(store)
        }
    }

    /// The choice; with errors of any type, which expectations need.
    private static func choice(of store: ModelStore) throws -> String? { try store.chosenDefault() }

    @Test func aStoreWithoutAChoiceHasNone() throws {
        try withStore { store throws in #expect(try Self.choice(of: store) == nil) }
        let absent = ModelStore(folder: URL(filePath: "/nonexistent/models"))
        #expect(try Self.choice(of: absent) == nil)
        #expect(throws: Never.self) { try absent.chooseDefault(nil) }
    }

    @Test func theLastChoiceCounts() throws {
        try withStore { store in
            try store.chooseDefault("boxes")
            #expect(try Self.choice(of: store) == "boxes")
            try store.chooseDefault("/models/other.tflite")
            #expect(try Self.choice(of: store) == "/models/other.tflite")
            try store.chooseDefault(nil)
            #expect(try Self.choice(of: store) == nil)
        }
    }

    @Test func theChoiceIsNoModel() throws {
        try withStore { store in
            try store.chooseDefault("boxes")
            #expect(store.installed().map(\.name) == ["boxes"])
        }
    }

    @Test func aModelThatIsNotInstalledIsRefused() throws {
        try withStore { store throws in
            let error = ModelCatalogError.notInstalled(name: "other", installed: ["boxes"])
            #expect(throws: error) { try store.chooseDefault("other") }
            #expect(try Self.choice(of: store) == nil)
        }
    }

    @Test(arguments: ["", "boxes", "../boxes\n", "a\nb\n", "\u{0}\n", "relative/path\n"])
    func aDamagedChoiceSaysHowToChooseAgain(text: String) throws {
        try withStore { store in
            try store.chooseDefault("boxes")
            try Data(text.utf8).write(to: store.folder.appending(path: ".default"))
            let error = #expect(throws: ModelCatalogError.self) { try store.chosenDefault() }
            #expect(error?.description.contains("`sightline models use NAME`") == true)
            try store.chooseDefault("boxes")
            #expect(try Self.choice(of: store) == "boxes")
        }
    }

    @Test func theEnvironmentNamesTheModelOfAProcess() throws {
        try withStore { store in
            try store.chooseDefault("boxes")
            func name(_ value: String?) throws -> String? {
                let environment = value.map { [DefaultModel.variable: $0] } ?? [:]
                return try DefaultModel.ofUser(environment: environment, store: store)?.name
            }
            #expect(try name(nil) == "boxes")
            #expect(try name("") == "boxes")
            #expect(try name("built-in") == nil)
            let file = TestData.fixture("models/ssd_metadata.tflite").path
            #expect(try name(file) == file)
            #expect(throws: DefaultModelError.variable("gone")) { try name("gone") }
        }
    }
}
