/// The tables of data sets and of trainings on them.
extension HubSchema {
    static let dataSets = """
        CREATE TABLE dataSet (
            id {id},
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            name {text} NOT NULL,
            actor {text} NOT NULL,
            createTime {int} NOT NULL
        );
        CREATE UNIQUE INDEX dataSetOfProject ON dataSet (project, name);

        CREATE TABLE photo (
            id {id},
            dataSet {int} NOT NULL REFERENCES dataSet ON DELETE CASCADE,
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            -- Of the file, which is one of the hub's files.
            hash {text} NOT NULL,
            size {int} NOT NULL,
            name {text} NOT NULL,
            label {text},
            width {int} NOT NULL,
            height {int} NOT NULL,
            createTime {int} NOT NULL,
            -- The place among the most doubtful photos of the last training, from 1, and what the model took it for.
            doubt {int},
            answer {text},
            confidence {real},
            -- Counts the changes of the boxes; absent if nobody has drawn them yet.
            boxRevision {int},
            -- Boxes that nobody has accepted yet, as JSON.
            proposals {text},
            -- A small JPEG for pages.
            thumbnail {bytes} NOT NULL
        );
        CREATE UNIQUE INDEX photoOfDataSet ON photo (dataSet, hash);
        -- With all that the numbers of a data set need, so that they read no photo.
        CREATE INDEX photoOfLabel ON photo (dataSet, label, size, boxRevision);
        -- A page reads its own photos alone.
        CREATE INDEX photoInOrder ON photo (dataSet, id);
        CREATE INDEX photoUndrawn ON photo (dataSet, id) WHERE boxRevision IS NULL;
        CREATE INDEX photoByDoubt ON photo (dataSet, doubt) WHERE doubt IS NOT NULL;
        CREATE INDEX photoOfHash ON photo (hash);
        CREATE INDEX photoOfProject ON photo (project);

        CREATE TABLE photoBox (
            id {id},
            dataSet {int} NOT NULL REFERENCES dataSet ON DELETE CASCADE,
            photo {int} NOT NULL REFERENCES photo ON DELETE CASCADE,
            label {text} NOT NULL,
            -- In pixels of the upright photo.
            x {real} NOT NULL,
            y {real} NOT NULL,
            width {real} NOT NULL,
            height {real} NOT NULL,
            isGroup {bool} NOT NULL
        );
        CREATE INDEX photoBoxOfPhoto ON photoBox (photo);
        CREATE INDEX photoBoxOfLabel ON photoBox (dataSet, label);

        CREATE TABLE training (
            id {id},
            project {text} NOT NULL REFERENCES project ON DELETE CASCADE,
            dataSet {int} NOT NULL REFERENCES dataSet ON DELETE CASCADE,
            -- The display name of the model that gets the version.
            model {text} NOT NULL,
            -- The kind: labels or boxes.
            kind {text} NOT NULL,
            actor {text} NOT NULL,
            state {text} NOT NULL,
            createTime {int} NOT NULL,
            startTime {int},
            endTime {int},
            -- The hub that works on it, when it last said so, and how often hubs began.
            worker {text},
            heartbeat {int},
            attempts {int} NOT NULL,
            stage {text},
            done {int},
            total {int},
            message {text},
            version {int},
            evaluation {int},
            -- The model's card as JSON.
            card {text}
        );
        CREATE INDEX trainingOfDataSet ON training (dataSet);
        CREATE INDEX trainingOfProject ON training (project, startTime);
        CREATE INDEX trainingByState ON training (state);
        """
}
