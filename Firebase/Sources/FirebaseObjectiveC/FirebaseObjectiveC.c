// The header has everything; a target of SwiftPM needs a source.
#include "FirebaseObjectiveC.h"
