import DurableFiles

/// Pictures, which are the guests of events and states: none of those ever waits for a picture, or is lost with one.
extension MQTTTransport {
    /// The time after which larger pictures are tried again.
    private static let learnedTime = Duration.seconds(3600)
    /// The limit below which pictures are not made smaller, in bytes.
    private static let smallestLimit = 2000

    /// Publishes a picture of a camera, retained. A picture that is too large is made smaller.
    public func show(picture: [UInt8], of camera: String) async throws(EventError) {
        guard options.pictureLimit > 0 else { return }
        var limit = options.pictureLimit
        if let learned = learnedLimit, learned.end > .now { limit = min(limit, learned.bytes) }
        while limit >= Self.smallestLimit {
            let fitted = await withTaskExecutorPreference(FileExecutor.shared) { [limit] in
                EventPicture.fitted(picture, bytes: limit)
            }
            guard let fitted else { break }
            let connection = try await connection(of: camera)
            let isFirst = cameras[camera]?.picture == nil
            do throws(EventError) {
                try await send([pictureMessage(fitted, of: camera)], .picture, of: camera, over: connection)
            } catch {
                forgetPicture(of: camera)
                guard case .refused(_, _, mayAcceptFewer: true) = error else { throw error }
                limit = fitted.count / 2
                let isLost = !connection.isOpen
                // One loss may be chance.
                if !isLost || (cameras[camera]?.losses[.picture] ?? 0) > 1 { learn(limit) }
                if isLost { throw error }
                continue
            }
            cameras[camera]?.picture = fitted
            cameras[camera]?.hasPicture = true
            if isFirst, let state = cameras[camera]?.state { try await show(state) }
            return
        }
        throw .refused(destination: destination, reason: "a picture cannot be made smaller than \(limit) bytes")
    }

    private func forgetPicture(of camera: String) {
        cameras[camera]?.picture = nil
        cameras[camera]?.hasPicture = false
    }

    private func learn(_ limit: Int) { learnedLimit = (limit, ContinuousClock.now + Self.learnedTime) }

    /// Publishes the last picture again, after a broker may have lost it.
    func restorePicture(of camera: String, over connection: MQTTConnection) async throws(EventError) {
        guard let picture = cameras[camera]?.picture, cameras[camera]?.hasPicture == false else { return }
        do throws(EventError) {
            try await send([pictureMessage(picture, of: camera)], .picture, of: camera, over: connection)
            cameras[camera]?.hasPicture = true
        } catch {
            forgetPicture(of: camera)
            throw error
        }
    }
}
