"""The browser's board: a page, a server that hands it out, and the conversation between them over a WebSocket."""
