"""Parts of every page: formats, labels, guards, styles and the live connection.

This app imports no other app of the project. They pass in what differs: what a connection may watch by a
subclass of `pages.live.consumers.LiveConsumer`, the events by `pages.live.listener.register`.
"""
