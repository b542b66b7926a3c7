/// The state of a file in the records.
package enum BlobState: String, Sendable, Hashable {
    /// It was claimed, and may be in the store in whole or not at all.
    case storing
    /// It is in the store.
    case stored
    /// It is being removed from the store.
    case removing
}

/// The condition for removing a file that nothing needs.
package enum BlobRemoval: Sendable, Hashable {
    /// No model ever had it, so that no address leads to it, and there are no claims.
    case neverServed
    /// It was neither claimed nor needed since a moment.
    case unusedSince(Timestamp)

    /// The time after which a removal has ended in any case, also one whose process ended.
    ///
    /// It is much longer than a hub waits for its storage, which may remove a file after that, and would take away a file
    /// that was stored again.
    package static let lease = Duration.seconds(90)
}
