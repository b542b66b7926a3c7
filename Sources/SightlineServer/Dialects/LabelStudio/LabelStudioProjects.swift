import HTTPServing
import Synchronization

/// The places of pictures that were uploaded to Label Studio itself, by project.
///
/// Label Studio sends its address and a token in `/setup`, also before it asks for predictions. The places of the latest projects are in
/// memory alone.
final class LabelStudioProjects: Sendable {
    /// A server of Label Studio.
    struct Place: Sendable {
        /// The address without a slash at its end.
        let address: String
        /// Lets the back end read the project's pictures.
        let token: Secret
    }

    private let places = Mutex(RecentValues<String, Place>(limit: 1024))

    /// Notes the place of a project; texts that are longer than any of Label Studio are left out.
    func note(_ setup: LabelStudioRequest.Setup) {
        guard let project = setup.project, let address = setup.hostname, let token = setup.accessToken,
            project.utf8.count <= 200, address.utf8.count <= 2000, token.utf8.count <= 4096
        else { return }
        let place = Place(address: address.hasSuffix("/") ? String(address.dropLast()) : address, token: Secret(token))
        places.withLock { $0[project] = place }
    }

    /// The place of a project; nil if it has sent none.
    func place(of project: String?) -> Place? {
        guard let project else { return nil }
        return places.withLock { $0[project] }
    }
}
