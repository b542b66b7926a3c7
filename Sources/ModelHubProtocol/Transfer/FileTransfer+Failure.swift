extension FileTransfer.Failure: CustomStringConvertible {
    /// The failure as the part of a sentence.
    package var description: String {
        switch self {
        case .refused(let status, _): "the server answered with status \(status)"
        case .otherPart: "the server sent a different range than requested"
        case .nothingBeyond(let count): "the server has fewer bytes than the \(count) of the partial file"
        case .wrongSize(let expected, let found): "it has \(found) bytes instead of \(expected)"
        case .interrupted(let received, let expected):
            "only \(received)\(expected.map { " of its \($0)" } ?? "") bytes arrived"
        case .file(let error): error.reason
        }
    }
}
