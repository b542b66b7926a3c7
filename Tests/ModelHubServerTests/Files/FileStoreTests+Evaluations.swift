import Foundation
import Testing

@testable import ModelHubServer

/// The files of evaluations.
extension FileStoreTests {
    @Test(arguments: FileBackend.available)
    func theFilesOfAnEvaluationAreKeptTogether(_ backend: FileBackend) async throws {
        try await backend.with { files, folder in
            let store = files.evaluationFiles
            let pictures = Data(repeating: 1, count: 100_000)
            #expect(try await store.evaluations().isEmpty)
            for evaluation in [Int64(5), 50] {
                let url = try makeFile(pictures, in: folder)
                try await store.store(fileAt: url, as: .pictures, of: evaluation)
                #expect(!FileManager.default.fileExists(atPath: url.path))
            }
            try await store.store(Data("old".utf8), as: .report, of: 5)
            try await store.store(Data("new".utf8), as: .report, of: 5)
            try await store.store(Data(), as: .thumbnail("abc"), of: 5)
            #expect(try await store.files(of: 5) == [.pictures, .report, .thumbnail("abc")])
            #expect(try await store.files(of: 50) == [.pictures])
            #expect(try await store.evaluations() == [5, 50])
            for _ in 0..<2 { #expect(try await bytes(of: try await store.open(.pictures, of: 5)) == pictures) }
            #expect(try await bytes(of: try await store.open(.report, of: 5)) == Data("new".utf8))
            #expect(try await bytes(of: try await store.open(.thumbnail("abc"), of: 5)).isEmpty)
            try await store.remove(5)
            #expect(try await store.evaluations() == [50])
            #expect(try await bytes(of: try await store.open(.pictures, of: 50)) == pictures)
            for file in [EvaluationFile.pictures, .report] {
                let error = await #expect(throws: HubError.self) { _ = try await store.open(file, of: 5) }
                #expect(error?.code == .notFound)
            }
            try await store.remove(5)
        }
    }
}
