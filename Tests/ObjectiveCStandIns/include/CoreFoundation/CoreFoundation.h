#pragma once

typedef double CGFloat; // In Swift a type of its own.
