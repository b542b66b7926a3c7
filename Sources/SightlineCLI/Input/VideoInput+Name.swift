import SightlineMedia

extension VideoInput {
    /// The name for people: that of a file as the command line has it, and of other inputs without the password of an address.
    func printedName(_ argument: String) -> String { canBeReadAgain ? FileName.printed(argument) : name }
}
