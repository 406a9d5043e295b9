"""Parts that every page is made of: formats, labels, guards, styles and the live line.

This app imports no other app of the project. What it needs from them is handed in: what a line may watch by a
subclass of `pages.live.consumers.LiveConsumer`, the events by `pages.live.listener.register`.
"""
