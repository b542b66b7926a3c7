import DurableFiles
import Foundation
import ModelHubProtocol
import SightlineTestSupport
import Testing

@Suite(.hangLimit) struct FileTransferTests {
    private static let content = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    /// A partial file with the first bytes of the content.
    private func withFile(_ count: Int, _ body: (PartialFile) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let url = folder.appending(path: "part")
            try Self.content.prefix(count).write(to: url)
            try body(try #require(try PartialFile.opened(url.path)))
        }
    }

    private func head(_ status: Int, _ fields: [String: String] = [:]) -> ResponseHead {
        ResponseHead(status: status) { fields[$0] }
    }

    private func send(_ data: Data, to transfer: inout FileTransfer) throws {
        let result: Result<Void, FileTransfer.Failure> = data.withUnsafeBytes { bytes in
            Result { () throws(FileTransfer.Failure) in try transfer.receive(bytes) }
        }
        try result.get()
    }

    @Test(arguments: [0, 1, 400, 999])
    func theRestOfAFileIsAskedForAndAppended(_ count: Int) throws {
        try withFile(count) { file in
            var transfer = FileTransfer(into: file, size: .exactly(1000), tag: "\"v\"")
            let fields = transfer.requestFields.map { "\($0.name): \($0.value)" }
            #expect(fields == (count == 0 ? [] : ["range: bytes=\(count)-", "if-range: \"v\""]))
            try transfer.begin(
                count == 0 ? head(200) : head(206, ["content-range": "bytes \(count)-999/1000"])
            )
            for piece in stride(from: count, to: 1000, by: 7) {
                try send(Self.content[piece..<min(piece + 7, 1000)], to: &transfer)
            }
            try transfer.end()
            #expect(file.sha256 == SHA256.hexadecimalDigest(of: Self.content))
        }
    }

    @Test func aServerThatSendsTheWholeFileReplacesTheBytesSoFar() throws {
        try withFile(400) { file in
            try file.clear()
            try Data(repeating: 0, count: 400).withUnsafeBytes { try file.append($0) }
            var transfer = FileTransfer(into: file, size: .exactly(1000), tag: nil)
            try transfer.begin(head(200, ["content-length": "1000"]))
            try send(Self.content, to: &transfer)
            try transfer.end()
            #expect(file.sha256 == SHA256.hexadecimalDigest(of: Self.content))
        }
    }

    @Test(arguments: [
        [:], ["content-range": "bytes 5-999/1000"], ["content-range": "bytes 400-500/1000"],
        ["content-range": "bytes */1000"], ["content-range": "nonsense"],
    ])
    func anotherPartIsNotTakenAndTheNextExchangeStartsAgain(_ fields: [String: String]) throws {
        try withFile(400) { file in
            var transfer = FileTransfer(into: file, size: .atMost(5000), tag: nil)
            #expect(throws: FileTransfer.Failure.otherPart) { try transfer.begin(head(206, fields)) }
            #expect(transfer.requestFields.isEmpty)
            #expect(FileTransfer.Failure.otherPart.isTransient)
        }
    }

    @Test func aServerWithoutFurtherBytesIsAskedForAllOfThem() throws {
        try withFile(400) { file in
            var transfer = FileTransfer(into: file, size: .atMost(5000), tag: nil)
            #expect(throws: FileTransfer.Failure.nothingBeyond(byteCount: 400)) { try transfer.begin(head(416)) }
            #expect(transfer.requestFields.isEmpty)
        }
    }

    @Test(arguments: [(404, false), (403, false), (302, false), (204, false), (500, true), (503, true), (429, true)])
    func anotherStatusIsARefusalThatMayBeTransient(_ status: Int, _ isTransient: Bool) throws {
        try withFile(400) { file in
            var transfer = FileTransfer(into: file, size: .exactly(1000), tag: nil)
            let error = #expect(throws: FileTransfer.Failure.self) {
                try transfer.begin(head(status, ["retry-after": "7"]))
            }
            #expect(error == .refused(status: status, retryAfter: .seconds(7)))
            #expect(error?.isTransient == isTransient)
            #expect(file.byteCount == 400)
        }
    }

    @Test(arguments: [0, 999, 1001, Int.max])
    func anotherSizeThanTheKnownIsNoticedBeforeTheBody(_ announced: Int) throws {
        try withFile(0) { file in
            var transfer = FileTransfer(into: file, size: .exactly(1000), tag: nil)
            let error = #expect(throws: FileTransfer.Failure.self) {
                try transfer.begin(head(200, ["content-length": "\(announced)"]))
                try send(Data(repeating: 0, count: 1001), to: &transfer)
            }
            guard case .wrongSize(expected: 1000, _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.isTransient == false)
        }
    }

    @Test func noMoreBytesThanPermittedAreStored() throws {
        try withFile(0) { file in
            var transfer = FileTransfer(into: file, size: .atMost(100), tag: nil)
            try transfer.begin(head(200))
            try send(Self.content.prefix(100), to: &transfer)
            #expect(throws: FileTransfer.Failure.wrongSize(expected: 100, found: 101)) {
                try send(Data([1]), to: &transfer)
            }
            #expect(file.byteCount == 100)
        }
    }

    @Test func aBodyThatEndsEarlyIsAnInterruptionThatMayPass() throws {
        try withFile(0) { file in
            var transfer = FileTransfer(into: file, size: .atMost(5000), tag: nil)
            try transfer.begin(head(200, ["content-length": "1000"]))
            try send(Self.content.prefix(10), to: &transfer)
            let error = #expect(throws: FileTransfer.Failure.self) { try transfer.end() }
            #expect(error == .interrupted(received: 10, expected: 1000))
            #expect(error?.isTransient == true)
            #expect(transfer.requestFields.map(\.value) == ["bytes=10-"])
        }
    }

    @Test func anEmptyFileIsAnError() throws {
        try withFile(0) { file in
            var transfer = FileTransfer(into: file, size: .atMost(5000), tag: nil)
            try transfer.begin(head(200))
            #expect(throws: FileTransfer.Failure.wrongSize(expected: 1, found: 0)) { try transfer.end() }
        }
    }
}

@Suite(.hangLimit) struct RetryPolicyTests {
    @Test func pausesDoubleUpToTheLongestAndVaryByHalf() {
        let policy = RetryPolicy(tries: 9, base: .seconds(1), maximum: .seconds(5))
        #expect((1...5).map { policy.pause(after: $0, random: 1) } == [1, 2, 4, 5, 5].map { .seconds($0) })
        #expect(policy.pause(after: 3, random: 0) == .seconds(2))
    }

    @Test func aServersWishToWaitIsObeyedUpToTheLongestPause() {
        let policy = RetryPolicy(base: .seconds(1), maximum: .seconds(5))
        let pauses = [0, 3, 3600].map { policy.pause(after: 1, retryAfter: .seconds($0), random: 1) }
        #expect(pauses == [1, 3, 5].map { .seconds($0) })
    }

    @Test(arguments: [-1, 0, 1, 2, 5])
    func afterTheLastTryThereIsNoPause(_ tries: Int) {
        let policy = RetryPolicy(tries: tries)
        #expect((1...6).filter { policy.pause(after: $0) != nil }.count == max(tries - 1, 0))
    }

    @Test func onlyBytesBeyondAllEarlierOnesRenewTheAttempts() {
        var attempts = Attempts(RetryPolicy(tries: 3, base: .seconds(1)))
        func remaining(_ attempts: Attempts) -> Int {
            var attempts = attempts
            var count = 0
            while attempts.nextPause() != nil { count += 1 }
            return count
        }
        attempts.resume(at: 100)
        #expect(attempts.nextPause() != nil)
        for byteCount in [0, 50, 100] {
            attempts.renew(at: byteCount)
            #expect(remaining(attempts) == 1)
        }
        attempts.renew(at: 101)
        #expect(remaining(attempts) == 2)
        #expect(attempts.nextPause() != nil)
        attempts.renew(at: 101)
        #expect(remaining(attempts) == 1)
        attempts.renew()
        #expect(remaining(attempts) == 2)
    }
}
