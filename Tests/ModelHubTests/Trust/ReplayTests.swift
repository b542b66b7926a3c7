import Foundation
import HubTestSupport
import ModelHub
import ModelHubServer
import SightlineTestSupport
import Testing

/// Manifests that were right once, clocks that are wrong, and keys that come and go.
@Suite(.hangLimit)
struct ReplayTests {
    private static let plants = RemoteModel(name: "plants")
    private static let day = TimeInterval(24 * 3600)
    private let owner = Owner()
    private let old = fakeModel(1)
    private let new = fakeModel(2)

    // MARK: - Replays

    @Test func anOlderManifestIsRefusedAndTheOwnerMayGoBack() async throws {
        let replayed = try owner.signed(old, serial: 1)
        try await HostileHub.with(old, manifest: replayed) { hub, server, folder in
            let manager = try owner.manager(server, folder)
            try await manager.download(Self.plants)
            hub.offer(new, manifest: try owner.signed(new, serial: 2))
            #expect(try await manager.download(Self.plants).hash == sha256(new))
            hub.offer(old, manifest: replayed)
            #expect(try await problem { try await manager.download(Self.plants) } == .older(serial: 1, seen: 2))
            // The owner signs the earlier version again.
            hub.offer(old, manifest: try owner.signed(old, serial: 3))
            #expect(try await manager.download(Self.plants).hash == sha256(old))
            hub.offer(new, manifest: try owner.signed(new, serial: 2))
            #expect(try await problem { try await manager.download(Self.plants) } == .older(serial: 2, seen: 3))
        }
    }

    @Test func whatWasSeenOutlivesTheModel() async throws {
        try await HostileHub.with(new, manifest: try owner.signed(new, serial: 2)) { hub, server, folder in
            let manager = try owner.manager(server, folder)
            try await manager.download(Self.plants)
            try manager.deleteDownloadedModel(Self.plants)
            hub.offer(old, manifest: try owner.signed(old, serial: 1))
            #expect(try await problem { try await manager.download(Self.plants) } == .older(serial: 1, seen: 2))
        }
    }

    @Test func aManifestCountsFromTheMomentItIsSeenThoughTheModelNeverCame() async throws {
        try await HostileHub.with(old, manifest: try owner.signed(old, serial: 1)) { hub, server, folder in
            try await owner.manager(server, folder).download(Self.plants)
            hub.offer(new, manifest: try owner.signed(new, serial: 2))
            hub.change { $0.fileReply = ScriptedServer.Reply(status: 404) }
            await #expect(throws: DownloadError.self) { try await owner.manager(server, folder).download(Self.plants) }
            // Another process, which finds the old version installed, and the newer manifest seen.
            let manager = try owner.manager(server, folder)
            #expect(manager.downloadedModel(for: Self.plants)?.hash == sha256(old))
            hub.offer(fakeModel(3), manifest: try owner.signed(fakeModel(3), serial: 1))
            #expect(try await problem { try await manager.download(Self.plants) } == .older(serial: 1, seen: 2))
            hub.offer(new, manifest: try owner.signed(new, serial: 2))
            #expect(try await manager.download(Self.plants).hash == sha256(new))
        }
    }

    @Test func versionsOfDifferentAliasesHaveNumbersOfTheirOwn() async throws {
        let staged = RemoteModel(name: "plants", alias: .staging)
        try await HostileHub.with(new, manifest: try owner.signed(new, serial: 9) { $0.alias = .staging }) {
            hub,
            server,
            folder in
            let manager = try owner.manager(server, folder)
            try await manager.download(staged)
            hub.offer(old, manifest: try owner.signed(old, serial: 1))
            #expect(try await manager.download(Self.plants).hash == sha256(old))
        }
    }

    @Test func aDamagedRecordIsNeitherBelievedNorIgnored() async throws {
        try await HostileHub.with(old, manifest: try owner.signed(old)) { _, server, folder in
            let manager = try owner.manager(server, folder)
            try await manager.download(Self.plants)
            let file = folder.appending(path: "manifests/plants.json")
            try Data("{".utf8).write(to: file)
            #expect(
                try await problem { try await manager.download(Self.plants) } == .damagedRecord(path: file.path)
            )
            #expect(manager.isModelDownloaded(Self.plants))
            try FileManager.default.removeItem(at: file)
            try await manager.download(Self.plants)
        }
    }

    @Test func anAliasThatMovesBetweenTwoAnswersIsAskedForAgain() async throws {
        try await HostileHub.with(old, manifest: try owner.signed(new, serial: 2)) { hub, server, folder in
            let manifest = try owner.signed(new, serial: 2)
            hub.change { $0.next = [HostileHub.Offer(hub: LyingHub(new), manifest: manifest)] }
            #expect(try await owner.manager(server, folder).download(Self.plants).hash == sha256(new))
        }
    }

    @Test func aNewThresholdNeedsANewManifestAndNoNewFile() async throws {
        try await HostileHub.with(old, manifest: try owner.signed(old)) { hub, server, folder in
            let manager = try owner.manager(server, folder)
            try await manager.download(Self.plants)
            hub.change { $0.threshold = "0.9" }
            // The hub says so, but nobody signed it.
            #expect(try await manager.download(Self.plants).confidenceThreshold == nil)
            let manifest = try owner.signed(old, serial: 2) { $0.confidenceThreshold = 0.9 }
            hub.change { $0.manifest = manifest }
            #expect(try await manager.download(Self.plants).confidenceThreshold == 0.9)
            #expect(server.count("/file") == 1)
        }
    }

    // MARK: - Clocks

    /// Hours by which the clock is ahead; a manifest ends after 720.
    private static let clocks: [(hours: Double, isAccepted: Bool)] = [
        (-25, false), (-23, true), (0, true), (696, true), (743, true), (745, false),
    ]

    @Test(arguments: clocks)
    func theClockMayBeWrongByADay(_ hoursAhead: Double, _ isAccepted: Bool) async throws {
        try await HostileHub.with(old, manifest: try owner.signed(old)) { _, server, folder in
            let manager = try owner.manager(server, folder, ahead: hoursAhead * 3600)
            if isAccepted {
                #expect(try await manager.download(Self.plants).hash == sha256(old))
                return
            }
            let problem = try await problem { try await manager.download(Self.plants) }
            switch problem {
            case .fromTheFuture(let issued, _):
                #expect(hoursAhead < 0 && Int64(issued.timeIntervalSince1970) == Owner.now)
            case .expired(let end, let now):
                #expect(hoursAhead > 0 && now > end && problem.description.contains("or set the clock"))
            default: throw problem
            }
        }
    }

    @Test func anExpiredManifestIsReplacedByANewOneForTheSameFile() async throws {
        try await HostileHub.with(old, manifest: try owner.signed(old, serial: 1)) { hub, server, folder in
            try await owner.manager(server, folder).download(Self.plants)
            let late = try owner.manager(server, folder, ahead: 40 * Self.day)
            guard case .expired = try await problem(of: { try await late.download(Self.plants) }) else {
                throw UnexpectedSuccess.ofTrust
            }
            let manifest = try owner.signed(old, serial: 2) { $0.expires += 30 * 24 * 3600 }
            hub.change { $0.manifest = manifest }
            #expect(try await late.download(Self.plants).hash == sha256(old))
            #expect(server.count("/file") == 1)
        }
    }

    // MARK: - Keys

    @Test func aKeyTakesThePlaceOfAnother() async throws {
        let next = Owner()
        try await HostileHub.with(old, manifest: try owner.signed(old, serial: 1)) { hub, server, folder in
            // The app of yesterday trusts one key, that of today both, that of tomorrow the next.
            try await owner.manager(server, folder).download(Self.plants)
            hub.offer(new, manifest: try next.signed(new, serial: 2))
            #expect(
                try await problem { try await owner.manager(server, folder).download(Self.plants) }
                    == .unknownKey(id: next.key.id)
            )
            let both = try owner.manager(server, folder, trusting: [next])
            #expect(try await both.download(Self.plants).hash == sha256(new))
            // A replay across the keys.
            hub.offer(old, manifest: try owner.signed(old, serial: 1))
            #expect(try await problem { try await both.download(Self.plants) } == .older(serial: 1, seen: 2))
            hub.offer(old, manifest: try owner.signed(old, serial: 3))
            let tomorrow = try next.manager(server, folder)
            #expect(try await problem { try await tomorrow.download(Self.plants) } == .unknownKey(id: owner.key.id))
            #expect(tomorrow.downloadedModel(for: Self.plants)?.hash == sha256(new))
        }
    }

    @Test func aVersionOfARevokedKeyNeedsAnotherSignatureButStaysUsable() async throws {
        let next = Owner()
        try await HostileHub.with(old, manifest: try owner.signed(old, serial: 1)) { hub, server, folder in
            let installed = try await owner.manager(server, folder).download(Self.plants)
            let manager = try next.manager(server, folder)
            #expect(try await problem { try await manager.download(Self.plants) } == .unknownKey(id: owner.key.id))
            #expect(manager.downloadedModel(for: Self.plants) == installed)
            hub.offer(old, manifest: try next.signed(old, serial: 1))
            #expect(try await manager.download(Self.plants) == installed)
        }
    }

    @Test func theNumbersOfAStolenKeyDoNotOutliveTheTrustInIt() async throws {
        let next = Owner()
        let evil = fakeModel(666)
        try await HostileHub.with(evil, manifest: try owner.signed(evil, serial: .max)) { hub, server, folder in
            try await owner.manager(server, folder, trusting: [next]).download(Self.plants)
            hub.offer(new, manifest: try next.signed(new, serial: 7))
            let both = try owner.manager(server, folder, trusting: [next])
            guard case .older = try await problem(of: { try await both.download(Self.plants) }) else {
                throw UnexpectedSuccess.ofTrust
            }
            let manager = try next.manager(server, folder)
            #expect(try await manager.download(Self.plants).hash == sha256(new))
            hub.offer(old, manifest: try next.signed(old, serial: 6))
            #expect(try await problem { try await manager.download(Self.plants) } == .older(serial: 6, seen: 7))
        }
    }

    @Test func everyProblemSaysWhatToDo() {
        let date = Date(timeIntervalSince1970: 0)
        let problems: [ManifestProblem] = [
            .unsigned, .unreadable(reason: "r"), .unknownFormat("f"), .unknownKey(id: nil), .unknownKey(id: "k"),
            .wrongSignature(key: "k"), .wrongModel(found: "m"), .wrongFile(reason: "r"), .expired(end: date, now: date),
            .fromTheFuture(issued: date, now: date), .older(serial: 1, seen: 2), .damagedRecord(path: "/p"),
        ]
        for problem in problems {
            let sentence = DownloadError.untrusted(model: "plants", problem: problem).description
            #expect(sentence.hasPrefix("The model \"plants\" is not trusted and was not installed: "))
            #expect(sentence.hasSuffix(".") && !sentence.dropLast().contains(". "))
            #expect(sentence.contains("; "), "\(sentence)")
        }
    }
}
