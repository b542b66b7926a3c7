/// The version of the package. Both commands and the Debian package have it; `Scripts/version` prints it.
package enum SightlineVersion {
    package static let current = "0.1.0"
}
