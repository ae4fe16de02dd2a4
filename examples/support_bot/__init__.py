"""A support bot with everything a real one has: the app that goldrank's demo and its tests watch."""
