import Foundation
import SightlineEvents
import SightlineTestSupport
import Testing

/// Files with secrets.
@Suite struct SecretFileTests {
    private func secret(_ data: Data) throws -> String {
        try withTemporaryFolder { folder in
            let file = folder.appending(path: "secret")
            try data.write(to: file)
            return try SecretFile.read(file)
        }
    }

    @Test(arguments: [("hunter2", "hunter2"), ("hunter2\n", "hunter2"), ("a b \r\nrest", "a b ")])
    func giveTheirFirstLine(text: String, line: String) throws {
        #expect(try secret(Data(text.utf8)) == line)
    }

    @Test(arguments: [Data(), Data("\nsecond".utf8), Data([0xFF, 0xFE, 0x00]), Data(count: 100_000)])
    func areRefusedIfTheyHaveNone(data: Data) {
        #expect(throws: EventError.self) { try secret(data) }
    }

    @Test func areRefusedIfTheyAreMissing() {
        let error = #expect(throws: EventError.self) { try SecretFile.read(URL(filePath: "/no/secret")) }
        #expect(error?.description == "The secret in /no/secret cannot be used: the file cannot be read, or is empty.")
    }
}
