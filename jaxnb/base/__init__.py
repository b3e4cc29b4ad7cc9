"""The ground floor: errors, settings and source frames. Imports nothing of ours and no third party."""
