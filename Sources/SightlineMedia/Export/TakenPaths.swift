/// The paths that pictures of a sink have, so that no two pictures share one.
///
/// It keeps 16 bytes for each picture instead of its path. Two paths of which one is taken for the other are less likely than a damaged
/// disk: their 64-bit hashes would have to be equal.
struct TakenPaths {
    /// The hash of the owner's name by that of the path.
    private var owners: [Int: Int] = [:]

    /// Takes a path for a picture. Returns false if a picture of another name has it.
    mutating func take(_ path: String, for name: String) -> Bool {
        let owner = name.hashValue
        if let other = owners.updateValue(owner, forKey: path.hashValue), other != owner { return false }
        return true
    }
}
