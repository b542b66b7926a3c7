import DurableFiles
import Foundation
import ModelHubProtocol
import WebTransfer

/// The download of a file, which resumes an earlier interrupted download.
struct Download {
    static let maximumRedirects = 5
    /// The maximum size of a file whose length is unknown.
    static let maximumByteCount = 1 << 30

    let address: DownloadAddress
    /// The expected size of the file in bytes, if it was verified.
    let byteCount: Int?
    /// Whether the contents will be checked, so that pieces of two versions cannot be combined undetected.
    let isVerified: Bool
    let retry: RetryPolicy
    let progress: (_ received: Int, _ expected: Int?) -> Void

    /// The origin of an incomplete file.
    struct Origin: Codable, Equatable {
        var address: String
        /// The server's name for the version of the file.
        var version: String?
    }

    /// A failed exchange.
    private struct Failure: Error {
        var error: ModelCatalogError
        /// Whether another exchange may succeed.
        var isTransient = false
        var retryAfter: Duration?
        /// Whether the bytes so far were removed, because the server has no bytes beyond them.
        var mustStartAgain = false
    }

    /// Downloads to a file, after the bytes of earlier attempts. An attempt that received bytes beyond all earlier ones
    /// does not count.
    func run(into file: PartialFile) throws(ModelCatalogError) {
        var attempts = Attempts(retry)
        attempts.resume(at: file.byteCount)
        var hasStartedAgain = false
        while true {
            do throws(Failure) {
                return try fetch(file)
            } catch {
                if error.mustStartAgain, !hasStartedAgain {
                    hasStartedAgain = true
                    continue
                }
                attempts.renew(at: file.byteCount)
                guard error.isTransient, let pause = attempts.nextPause(retryAfter: error.retryAfter) else {
                    throw error.error
                }
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }

    /// Downloads the missing bytes in one exchange, after redirects.
    private func fetch(_ file: PartialFile) throws(Failure) {
        let origin = Origin.read(beside: file.path)
        if file.byteCount > 0, origin?.address != address.text || (origin?.version == nil && !isVerified) {
            do throws(DurableFileError) {
                try file.clear()
            } catch {
                throw Failure(error: ModelCatalogError(error))
            }
        }
        if file.byteCount > 0, file.byteCount == byteCount { return }
        var transfer = FileTransfer(
            into: file,
            size: byteCount.map { .exactly($0) } ?? .atMost(Self.maximumByteCount),
            tag: file.byteCount > 0 ? origin?.version : nil
        )
        let headers = transfer.requestFields.map { "\($0.name): \($0.value)" }
        var current = address
        for _ in 0...Self.maximumRedirects {
            var hasBegun = false
            let end = try HTTPTransfer.send(current.request(headers: headers)) { (head, bytes) throws(Failure) in
                // The bodies of redirects and errors do not belong to the file.
                guard [200, 206].contains(head.status) else { return }
                if !hasBegun {
                    hasBegun = true
                    try begin(&transfer, head, bytes, at: current)
                }
                try during(current) { () throws(FileTransfer.Failure) in try transfer.receive(bytes) }
                progress(file.byteCount, transfer.byteCount)
            }
            switch end {
            case .redirect(_, let location):
                do throws(ModelCatalogError) {
                    current = try current.redirected(to: location)
                } catch {
                    throw Failure(error: error)
                }
            case .complete(let head):
                return try during(current) { () throws(FileTransfer.Failure) in
                    if !hasBegun { try transfer.begin(head.ofFile) }
                    try transfer.end()
                }
            case .failed where hasBegun: throw failure(transfer.interruption, at: current)
            case .failed(_, let reason):
                throw Failure(error: .unreachable(address: current.text, reason: reason), isTransient: true)
            case .unavailable(let reason): throw Failure(error: .noDownloads(reason: reason))
            }
        }
        throw Failure(error: .tooManyRedirects(address: address.text, limit: Self.maximumRedirects))
    }

    /// Begins a file with the first piece of its body.
    private func begin(
        _ transfer: inout FileTransfer,
        _ head: HTTPHead,
        _ bytes: UnsafeRawBufferPointer,
        at address: DownloadAddress
    ) throws(Failure) {
        if head.status == 200, Self.isWebPage(head, bytes) { throw Failure(error: .webPage(address: address.text)) }
        do throws(FileTransfer.Failure) { try transfer.begin(head.ofFile) } catch { throw failure(error, at: address) }
        // Stored at once, because the next piece may never arrive.
        let origin = Origin(address: self.address.text, version: head.fields["etag"]?.strongVersion)
        do throws(ModelCatalogError) { try origin.write(beside: transfer.file.path) } catch {
            throw Failure(error: error)
        }
    }

    private func during(
        _ address: DownloadAddress,
        _ body: () throws(FileTransfer.Failure) -> Void
    ) throws(Failure) {
        do throws(FileTransfer.Failure) { try body() } catch { throw failure(error, at: address) }
    }

    /// The meaning of a failed exchange with an address.
    private func failure(_ failure: FileTransfer.Failure, at address: DownloadAddress) -> Failure {
        let source = address.text
        var result = Failure(
            error: .unreachable(address: source, reason: "\(failure)"),
            isTransient: failure.isTransient
        )
        switch failure {
        case .refused(let status, let retryAfter):
            result.error = .refused(address: source, status: status)
            result.retryAfter = retryAfter
        case .otherPart: break
        case .nothingBeyond:
            result.error = .refused(address: source, status: 416)
            result.mustStartAgain = true
        case .wrongSize(let expected, let found):
            result.error = .wrongSize(source: source, expected: expected, found: found)
        case .interrupted(let received, let expected):
            result.error = .interrupted(address: source, received: received, expected: expected)
        case .file(let error): result.error = ModelCatalogError(error)
        }
        return result
    }

    private static func isWebPage(_ head: HTTPHead, _ bytes: UnsafeRawBufferPointer) -> Bool {
        // Servers often state a wrong type for models. A model identifies itself in bytes 4 to 7.
        if bytes.dropFirst(4).prefix(4).elementsEqual("TFL3".utf8) { return false }
        if head.fields["content-type"]?.lowercased().hasPrefix("text/html") == true { return true }
        let text = String(decoding: bytes.prefix(256), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }
}

extension Download.Origin {
    private static func path(beside file: String) -> String { file + ".origin" }

    /// The stored origin of a partial file; nil if it is missing or damaged.
    static func read(beside file: String) -> Download.Origin? {
        (try? Data(contentsOf: URL(filePath: path(beside: file)))).flatMap {
            try? JSONDecoder().decode(Self.self, from: $0)
        }
    }

    func write(beside file: String) throws(ModelCatalogError) {
        // An origin contains only texts, so encoding it as JSON cannot fail.
        let note = (try? JSONEncoder().encode(self)) ?? Data()
        try ModelCatalogError.storing { () throws(DurableFileError) in
            try DurableFile.write(note, to: URL(filePath: Self.path(beside: file)))
        }
    }

    /// Removes the stored origin, if there is one.
    static func remove(beside file: String) throws(ModelCatalogError) {
        try ModelCatalogError.storing { () throws(DurableFileError) in
            let path = path(beside: file)
            guard unlink(path) == 0 || errno == ENOENT else { throw DurableFileError(path: path, code: errno) }
        }
    }
}

extension String {
    /// The text as a version of a file, if it changes with every byte of the file: a weak ETag does not.
    fileprivate var strongVersion: String? {
        hasPrefix("\"") && utf8.allSatisfy { (0x21...0x7E).contains($0) } ? self : nil
    }
}
