import Foundation
import Testing

@testable import ModelHubServer

/// Sessions of the console, sign-in links and evaluations.
extension StoreConformanceTests {
    private static let start = Timestamp(milliseconds: 1_800_000_000_000)

    private func session(_ number: Int, _ project: Project) -> ConsoleSession {
        ConsoleSession(
            idHash: [UInt8(number), 1],
            project: project,
            credential: nil,
            role: .editor,
            actor: "ann",
            createTime: Self.start.advanced(by: .seconds(Int64(number))),
            useTime: Self.start.advanced(by: .seconds(Int64(number)))
        )
    }

    @Test(arguments: StoreBackend.allCases)
    func theOldestSessionsEnd(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            for number in 0..<ConsoleSession.maximumCount + 3 {
                try await records.insert(session(number, project), audit: .test)
            }
            let sessions = try await records.consoleSessions(of: "my-plants")
            #expect(sessions.count == ConsoleSession.maximumCount)
            #expect(sessions.last?.idHash == [3, 1])
            #expect(sessions.first?.idHash == [UInt8(ConsoleSession.maximumCount + 2), 1])
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aSessionChangesAndEnds(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            var session = session(1, project)
            try await records.insert(session, audit: .test)
            #expect(try await records.consoleSession(idHash: session.idHash) == session)
            session.notice = .init(isError: true, text: "No.")
            session.useTime = session.useTime.advanced(by: .seconds(60))
            try await records.update(session)
            #expect(try await records.consoleSession(idHash: session.idHash) == session)
            try await records.deleteConsoleSession(idHash: session.idHash, audit: .test)
            #expect(try await records.consoleSession(idHash: session.idHash) == nil)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aSessionEndsWithItsCredential(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            let token = Credential(
                id: "token",
                project: "my-plants",
                kind: .token,
                role: .editor,
                name: "ann",
                secretHash: [1],
                createTime: Self.start
            )
            try await records.insert(token, audit: .test)
            var session = session(1, project)
            session.credential = "token"
            try await records.insert(session, audit: .test)
            #expect(try await records.consoleSessions(of: "my-plants") == [session])
            _ = try await records.revoke(credential: "token", of: .project("my-plants"), at: Self.start, audit: .test)
            #expect(try await records.consoleSession(idHash: session.idHash) == nil)
            #expect(try await records.consoleSessions(of: "my-plants").isEmpty)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func aSignInLinkWorksOnceAndForATime(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            let project = try await stores.project()
            let expiry = Timestamp.now.advanced(by: .seconds(600))
            var link = SignInLink(project: project.id, role: .administrator)
            link.expiry = expiry
            for code: [UInt8] in [[2], [1]] {
                link.codeHash = code
                try await records.insert(link, audit: .test)
            }
            let taken = try await eightAtOnce { _ in try await records.takeSignInLink(codeHash: [1], at: .now) }
            #expect(taken.compactMap { $0 } == [link])
            #expect(try await records.takeSignInLink(codeHash: [2], at: expiry) == nil)
        }
    }

    private func evaluation(of model: ModelRecord, byteCount: Int = 10) throws -> EvaluationRecord {
        EvaluationRecord(
            project: "my-plants",
            model: model.id,
            kind: "boxes",
            version: 1,
            hash: try .test("x"),
            archiveName: "flowers.zip",
            byteCount: byteCount,
            actor: "ann",
            createTime: Self.start,
            state: .waiting
        )
    }

    @Test(arguments: StoreBackend.allCases)
    func anEvaluationIsFoundChangedAndDeleted(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project()
            let model = try await records.insert(.test("plants"), version: nil, audit: .test)
            var first = try await records.insert(try evaluation(of: model), audit: .test)
            let second = try await records.insert(try evaluation(of: model), audit: .test)
            #expect(first.id != second.id)
            #expect(try await records.evaluations(of: model.id) == [second, first])
            (first.state, first.endTime, first.message) = (.done, Self.start, "done")
            (first.pictureCount, first.score, first.comparison) = (7, 0.5, "{}")
            try await records.update(first, audit: nil)
            #expect(try await records.evaluation(first.id, of: "my-plants") == first)
            #expect(try await records.evaluation(first.id, of: "other") == nil)
            let later = Self.start.advanced(by: .seconds(10))
            try await records.keepEvaluationsAlive([second.id], at: later)
            try await records.interruptEvaluations(
                silentSince: Self.start,
                at: later,
                latest: later,
                message: "stopped"
            )
            #expect(try await records.evaluation(second.id, of: "my-plants") == second)
            try await records.interruptEvaluations(silentSince: later, at: later, latest: later, message: "stopped")
            #expect(try await records.evaluation(first.id, of: "my-plants") == first)
            let interrupted = try await records.evaluation(second.id, of: "my-plants")
            #expect(interrupted?.state == .failed)
            #expect(interrupted?.message == "stopped")
            try await records.deleteEvaluation(first.id, audit: .test)
            #expect(try await records.evaluationIDs() == [second.id])
            _ = try await records.deleteModel(model.id, of: "my-plants", at: .now, audit: .test)
            #expect(try await records.evaluationIDs().isEmpty)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func thePicturesOfEvaluationsCountInTheQuota(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let records = stores.records
            _ = try await stores.project(quota: 5000)
            let model = try await records.insert(.test("plants"), version: nil, audit: .test)
            let added = try await eightAtOnce { _ in
                do {
                    _ = try await records.insert(try evaluation(of: model, byteCount: 2000), audit: .test)
                    return true
                } catch let error as HubError where error.code == .resourceExhausted {
                    return false
                }
            }
            #expect(added.count(where: { $0 }) == 2)
        }
    }

    @Test(arguments: StoreBackend.allCases)
    func theFilesOfAnEvaluationStayTogether(_ backend: StoreBackend) async throws {
        try await backend.with { stores in
            let (files, pictures) = (stores.evaluationFiles, Data("zip".utf8))
            let missing = await #expect(throws: HubError.self) { _ = try await files.open(.report, of: 5) }
            #expect(missing?.code == .notFound)
            #expect(try await files.files(of: 5).isEmpty)
            let url = try stores.file(pictures)
            try await files.store(fileAt: url, as: .pictures, of: 5)
            #expect(!FileManager.default.fileExists(atPath: url.path))
            for report in ["first", "second"] { try await files.store(Data(report.utf8), as: .report, of: 5) }
            try await files.store(Data(), as: .thumbnail("0a"), of: 5)
            try await files.store(Data("x".utf8), as: .report, of: 6)
            #expect(try await files.files(of: 5) == [.pictures, .report, .thumbnail("0a")])
            #expect(try await files.evaluations() == [5, 6])
            var data = Data()
            for try await piece in try await files.open(.report, of: 5).bytes { data += piece.readableBytesView }
            #expect(data == Data("second".utf8))
            try await files.remove(5)
            try await files.remove(5)
            #expect(try await files.evaluations() == [6])
            #expect(try await files.files(of: 5).isEmpty)
        }
    }
}
