import SightlineMedia

extension VideoInput {
    /// The name for people: that of a file as the command line has it, of an address the scheme, the host and the port alone.
    func printedName(_ argument: String) -> String {
        canBeReadAgain && StreamAddress.scheme(of: argument) == nil ? FileName.printed(argument) : name
    }
}
