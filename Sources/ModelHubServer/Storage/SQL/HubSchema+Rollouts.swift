/// The tables of rollouts.
extension HubSchema {
    static let rollouts = """
        CREATE TABLE rollout (
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            id {text} NOT NULL,
            model {int} NOT NULL REFERENCES model ON DELETE CASCADE,
            -- What a download needs to know: the version that is rolled out, and the percentage of devices that get it.
            newVersion {int} NOT NULL,
            share {real} NOT NULL,
            isActive {bool} NOT NULL,
            startTime {int} NOT NULL,
            -- Grows with each change, so that of two changes at the same time only one takes effect.
            revision {int} NOT NULL,
            -- The whole rollout as JSON, and its comparisons over time.
            content {text} NOT NULL,
            curve {text} NOT NULL,
            PRIMARY KEY (project, id)
        );
        CREATE UNIQUE INDEX activeRolloutOfModel ON rollout (model) WHERE isActive;
        CREATE INDEX rolloutOfModel ON rollout (model);

        -- Sums of DeviceSums for a guard, or for any report if the metric is empty.
        CREATE TABLE rolloutOutcome (
            project {text} NOT NULL,
            rollout {text} NOT NULL,
            metric {text} NOT NULL,
            deviceGroup {text} NOT NULL,
            devices {int} NOT NULL,
            count {real} NOT NULL,
            sum {real} NOT NULL,
            sumNN {real} NOT NULL,
            sumXX {real} NOT NULL,
            sumNX {real} NOT NULL,
            PRIMARY KEY (project, rollout, metric, deviceGroup),
            FOREIGN KEY (project, rollout) REFERENCES rollout ON DELETE CASCADE
        ) {keyed};

        -- The sum of all reports of a device, which a hash stands for.
        CREATE TABLE rolloutOutcomeOfDevice (
            project {text} NOT NULL,
            rollout {text} NOT NULL,
            metric {text} NOT NULL,
            deviceGroup {text} NOT NULL,
            device {bytes} NOT NULL,
            count {real} NOT NULL,
            sum {real} NOT NULL,
            PRIMARY KEY (project, rollout, metric, deviceGroup, device),
            FOREIGN KEY (project, rollout) REFERENCES rollout ON DELETE CASCADE
        ) {keyed};
        """
}
