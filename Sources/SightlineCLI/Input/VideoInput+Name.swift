import SightlineMedia

extension VideoInput {
    /// The name for people: a file's name as on the command line, or the scheme, host and port of an address.
    func printedName(_ argument: String) -> String {
        canBeReadAgain && StreamAddress.scheme(of: argument) == nil ? FileName.printed(argument) : name
    }
}
