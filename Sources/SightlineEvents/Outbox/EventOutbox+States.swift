/// States and pictures of cameras, of which only the last one counts.
extension EventOutbox {
    /// Shows the state of a camera as soon as the destination accepts it, in place of a state that still waits.
    ///
    /// - Parameter state: the state; the same state again costs nothing.
    public func show(_ state: CameraState) {
        guard !isOver, shown[state.camera] != state else { return }
        retired.remove(state.camera)
        shown[state.camera] = state
        states[state.camera] = state
        wake()
    }

    /// Shows a picture of a camera's last event, in place of a picture that still waits.
    ///
    /// - Parameters:
    ///   - picture: a JPEG. A destination may need it smaller.
    ///   - camera: the name of the camera.
    public func show(picture: [UInt8], of camera: String) {
        guard !isOver else { return }
        pictures[camera] = picture
        wake()
    }

    /// Takes back everything that the destination keeps of a camera, after the camera's events: its state, its picture, and its device in
    /// Home Assistant.
    ///
    /// For a camera that is gone permanently, as opposed to a program that ends. A later state of the camera brings it back.
    ///
    /// - Parameter camera: the name of the camera.
    public func retire(_ camera: String) {
        guard !isOver else { return }
        retired.insert(camera)
        (states[camera], shown[camera], pictures[camera]) = (nil, nil, nil)
        wake()
    }

    /// Takes back everything that the destination keeps of other cameras, as far as it knows those of earlier runs.
    ///
    /// - Parameter cameras: the names of all cameras that remain.
    public func retire(allBut cameras: Set<String>) async {
        for camera in await transport.keptCameras().subtracting(cameras) { retire(camera) }
    }

    // MARK: Turns of the outbox

    func maintain() async throws(EventError) {
        do throws(EventError) {
            try await transport.maintain()
        } catch {
            guard case .refused = error else { throw error }
            reportRefusedState(error)
        }
    }

    func retireNow(_ camera: String) async throws(EventError) {
        do throws(EventError) {
            try await transport.retire(camera)
        } catch {
            if case .refused = error { return reportRefusedState(error) }
            if shown[camera] == nil { retired.insert(camera) }
            throw error
        }
    }

    func showNow(_ state: CameraState) async throws(EventError) {
        do throws(EventError) {
            try await transport.show(state)
        } catch {
            if case .refused = error { return reportRefusedState(error) }
            // A newer state has come, or this one is shown later.
            if shown[state.camera] == state { states[state.camera] = state }
            throw error
        }
    }

    func showNow(_ picture: [UInt8], of camera: String) async throws(EventError) {
        do throws(EventError) {
            try await transport.show(picture: picture, of: camera)
        } catch {
            if case .refused = error {
                numbers.droppedPictures += 1
                return reportRefusedState(error)
            }
            if pictures[camera] == nil, !retired.contains(camera) { pictures[camera] = picture }
            throw error
        }
    }

    /// Reports that a state or a picture was refused.
    private func reportRefusedState(_ refusal: EventError) {
        guard case .refused(let destination, let reason, _) = refusal, refusedStates.pass() != nil else { return }
        report("\(destination) refused a state or picture: \(reason). Events are still sent.")
    }
}
