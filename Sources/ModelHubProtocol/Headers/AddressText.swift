/// Addresses in messages.
package enum AddressText {
    /// The text of an address without users and passwords, for a message.
    package static func withoutPassword(_ text: String) -> String {
        text.replacing(/:\/\/[^\/?#]*@/, with: "://…@")
    }
}
