// Carries the precompiled header that all modules share.
