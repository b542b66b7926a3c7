import SightlineMedia

/// Addresses that no command reads.
enum OtherAddress {
    /// The reason for which an argument is not read, with the next step; nil if the argument is not an address.
    ///
    /// - Parameter noun: the expected kind of target, for example `picture`.
    static func refusal(_ argument: String, of noun: String) -> String? {
        guard let scheme = argument.firstRange(of: "://").map({ argument[..<$0.lowerBound].lowercased() }),
            !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && $0.isLetter || $0.isNumber })
        else { return nil }
        if StreamAddress.scheme(of: argument) != nil {
            return
                "this is not a valid address; write characters such as @ / # ? in a user or password as %40 %2F %23 %3F."
        }
        if scheme == "file" { return "addresses of files are not read; leave out `file://`." }
        let copying =
            switch scheme {
            case "s3": "aws s3 cp \(argument) ."
            case "gs": "gcloud storage cp \(argument) ."
            default: "curl -O \(argument)"
            }
        return "addresses of this kind are not read; copy the \(noun) here first: `\(copying)`."
    }
}
