import Foundation
import ModelCatalog
import SightlineTestSupport
import Testing

/// A file that the catalog knows by its contents.
@Suite(.hangLimit) struct RecognizedModelTests {
    private func catalog(knowing file: Data, sha256: String) throws -> ModelCatalog {
        let entry = """
            [{"name": "boxes", "task": "detection", "summary": "", "publisher": "", "license": "MIT", "address": "https://x.org/m",
            "byteCount": \(file.count), "sha256": "\(sha256)", "labels": {"count": 1, "names": ["box"]}}]
            """
        return try ModelCatalog(json: Data(entry.utf8))
    }

    @Test func isFoundByItsBytesUnderAnyName() throws {
        // The SHA-256 of "abc" (FIPS 180-4).
        let catalog = try catalog(
            knowing: Data("abc".utf8),
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        )
        try withTemporaryFolder { folder in
            let (same, other) = (folder.appending(path: "any.name"), folder.appending(path: "other"))
            try Data("abc".utf8).write(to: same)
            try Data("abe".utf8).write(to: other)
            #expect(catalog.entry(sameAs: same)?.name == "boxes")
            #expect(catalog.entry(sameAs: other) == nil)
            #expect(catalog.entry(sameAs: folder.appending(path: "missing")) == nil)
        }
    }
}
