"""A recorded request run again inside the app's process: pinned stages, other parameters, a chunk put into the context.

Nothing here is loaded before a replay begins: an app that only records does not pay for it.
"""
