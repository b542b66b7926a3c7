import DurableFiles
import Foundation
import SightlineTestSupport
import Testing

@testable import ModelCatalog

/// Models on their way into a store, and out of it.
@Suite(.hangLimit) struct InstallationTests: InstallationTesting {
    let sample: SampleModel

    init() throws { sample = try SampleModel() }

    @Test func aVerifiedDownloadIsInstalled() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            var last = (received: 0, expected: Int?.none)
            let installed = try store.install(installation(server)) { last = ($0, $1) }
            #expect(try bytes(store) == model)
            #expect(installed.record?.sha256 == hash && installed.record?.isVerified == true)
            #expect(last.received == model.count && last.expected == model.count)
            #expect(content(store) == ["boxes"])
            #expect(store.installed() == [installed])
        }
    }

    @Test func whatIsThereAlreadyIsNotFetchedAgain() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            try store.install(installation(server))
            try store.install(installation(server))
            #expect(server.requests.count == 1)
            try Data("damaged".utf8).write(to: store.model(named: "boxes").model)
            try store.install(installation(server))
            #expect(try bytes(store) == model)
        }
    }

    @Test func anotherModelOfTheNameIsReplaced() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            let other = TestData.fixture("models/add.tflite").path
            var first = Installation(name: "boxes", source: .file(other))
            first.acceptsUnverified = true
            try store.install(first)
            try store.install(installation(server))
            #expect(try bytes(store) == model)
            #expect(content(store) == ["boxes"])
        }
    }

    @Test func whileAModelIsReplacedOneOfBothIsThere() async throws {
        let files = ["ssd.tflite", "ssd_metadata.tflite"].map { TestData.fixture("models/\($0)") }
        let hashes = try files.map { SHA256.hexadecimalDigest(of: try Data(contentsOf: $0)) }
        try await withTemporaryFolder { folder in
            let store = ModelStore(folder: folder.appending(path: "models"))
            @Sendable func install(_ number: Int) throws {
                let source = ModelSource.file(files[number % 2].path)
                try store.install(Installation(name: "boxes", source: source, sha256: hashes[number % 2]))
            }
            try install(0)
            let place = store.folder.appending(path: "boxes").path
            let absences = try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask {
                    var absences = 0
                    while !Task.isCancelled {
                        for _ in 0..<1000 where access(place, F_OK) != 0 { absences += 1 }
                        await Task.yield()
                    }
                    return absences
                }
                for number in 1...200 { try install(number) }
                group.cancelAll()
                return try await group.next() ?? 0
            }
            #expect(absences == 0)
        }
    }

    @Test func anEarlierModelThatAKilledProcessLeftIsRemoved() throws {
        try withStore { store in
            let source = ModelSource.file(TestData.fixture("models/ssd_metadata.tflite").path)
            let installation = Installation(name: "boxes", source: source, sha256: hash)
            try store.install(installation)
            let left = store.folder.appending(path: ".partial-boxes.removed")
            try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
            try Data("earlier".utf8).write(to: left.appending(path: "model.tflite"))
            try store.install(installation)
            #expect(content(store) == ["boxes"])
        }
    }

    @Test func aModelInTheFormatONNXKeepsTheNameOfItsFormat() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            try withTemporaryFolder { folder in
                let file = folder.appending(path: "best.onnx")
                let data = OnnxBuilder.constant([("y", [1], [1, 1])]).data
                try data.write(to: file)
                var onnx = Installation(name: "boxes", source: .file(file.path))
                onnx.acceptsUnverified = true
                let installed = try store.install(onnx)
                #expect(installed.model.lastPathComponent == "model.onnx" && installed.record?.byteCount == data.count)
                #expect(try bytes(store) == data && store.installed() == [installed])
                // A store is a mirror for models of both formats.
                try withStore { second in
                    onnx.source = .mirror(store.folder.path)
                    let copy = try second.install(onnx)
                    #expect(copy.model.lastPathComponent == "model.onnx")
                }
            }
            #expect(try store.install(installation(server)).model.lastPathComponent == "model.tflite")
            #expect(try bytes(store) == model)
        }
    }

    @Test func redirectsAreFollowed() throws {
        let server = try LoopbackServer { [model = sample.data] request in
            request.path == "/m.tflite" ? .redirect(to: "/elsewhere", status: 307) : .file(model, for: request)
        }
        try withStore { store in
            try store.install(installation(server))
            #expect(server.requests.map(\.path) == ["/m.tflite", "/elsewhere"])
        }
    }

    @Test func aMirrorIsAFolderOrItsAddress() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            var installation = installation(server)
            installation.source = .mirror(server.address + "/models")
            try store.install(installation)
            #expect(server.requests.map(\.path) == ["/models/boxes/model.tflite"])
            // A store is such a folder.
            try withStore { second in
                installation.source = .mirror(store.folder.path)
                let installed = try second.install(installation)
                #expect(installed.record?.isVerified == true)
                #expect(try bytes(second) == model)
            }
        }
    }

    @Test func anUnverifiedModelNeedsConsent() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0) }
        try withStore { store in
            var installation = installation(server, verified: false)
            installation.acceptsUnverified = false
            #expect(throws: ModelCatalogError.unverified(name: "boxes")) { try store.install(installation) }
            #expect(server.requests.isEmpty)
            installation.acceptsUnverified = true
            let installed = try store.install(installation)
            #expect(installed.record?.isVerified == false && installed.record?.sha256 == hash)
        }
    }

    @Test func aRemovedModelIsGone() throws {
        try withStore { store in
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            try store.install(Installation(name: "boxes", source: .file(fixture), sha256: hash))
            try store.remove("boxes")
            #expect(content(store).isEmpty)
            #expect(throws: ModelCatalogError.notInstalled(name: "boxes", installed: [])) { try store.remove("boxes") }
        }
    }

    @Test func removingALinkLeavesWhatItPointsTo() throws {
        try withTemporaryFolder { folder in
            let treasure = folder.appending(path: "treasure")
            try FileManager.default.createDirectory(at: treasure, withIntermediateDirectories: true)
            try model.write(to: treasure.appending(path: "model.tflite"))
            try Data("{}".utf8).write(to: treasure.appending(path: "installed.json"))
            let store = ModelStore(folder: folder.appending(path: "models"))
            try FileManager.default.createDirectory(at: store.folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(
                at: store.folder.appending(path: "boxes"),
                withDestinationURL: treasure
            )
            try store.remove("boxes")
            #expect(content(store).isEmpty)
            #expect(try Data(contentsOf: treasure.appending(path: "model.tflite")) == model)
        }
    }

    @Test func aFolderThatWasNotInstalledIsLeftAlone() throws {
        try withStore { store in
            // As a program keeps its own models there, or somebody puts one there by hand.
            let own = store.folder.appending(path: "boxes")
            try FileManager.default.createDirectory(
                at: own.appending(path: "_my-plants"),
                withIntermediateDirectories: true
            )
            let file = own.appending(path: "model.tflite")
            try Data("not ours".utf8).write(to: file)
            #expect(store["boxes"] == nil)
            #expect(store.installed().isEmpty)
            let refusal = ModelCatalogError.foreignFolder(path: own.path)
            #expect(throws: refusal) { try store.remove("boxes") }
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            #expect(throws: refusal) {
                try store.install(Installation(name: "boxes", source: .file(fixture), sha256: hash))
            }
            #expect(try Data(contentsOf: file) == Data("not ours".utf8))
            #expect(content(store) == ["boxes"])
        }
    }

    @Test func whatIsLeftOfACutDownloadCanBeRemoved() throws {
        let server = try LoopbackServer { [model = sample.data] in .file(model, for: $0, cutAfter: 3000) }
        try withStore { store in
            #expect(throws: ModelCatalogError.self) { try store.install(installation(server)) }
            #expect(content(store) == [".partial-boxes"])
            try store.remove("boxes")
            #expect(content(store).isEmpty)
        }
    }

    @Test func twoProcessesDoNotInstallAtOnce() throws {
        try withStore { store in
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            let installation = Installation(name: "boxes", source: .file(fixture), sha256: hash)
            let meanwhile = try store.withLock { () throws(ModelCatalogError) in
                Result { () throws(ModelCatalogError) in try store.install(installation) }
            }
            #expect(throws: ModelCatalogError.busy(path: store.folder.path)) { try meanwhile.get() }
            try store.install(installation)
        }
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "file")
            try Data().write(to: file)
            let fixture = TestData.fixture("models/ssd_metadata.tflite").path
            let installation = Installation(name: "boxes", source: .file(fixture), sha256: hash)
            for place in [file, file.appending(path: "models")] {
                let error = #expect(throws: ModelCatalogError.self) {
                    try ModelStore(folder: place).install(installation)
                }
                guard case .file = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs a device that is always full"))
    func aFullDiskIsToldFromAForbiddenOne() throws {
        let full = try FileDescriptor("/dev/full", O_WRONLY)
        #expect(throws: ModelCatalogError.diskFull(path: "/dev/full")) {
            try ModelCatalogError.storing { () throws(DurableFileError) in try full.write(Data("x".utf8)) }
        }
        for code in [EACCES, EPERM, EROFS] {
            #expect(ModelCatalogError(DurableFileError(path: "p", code: code)) == .permissionDenied(path: "p"))
        }
    }
}
