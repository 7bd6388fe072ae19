"""The browser board: a page, the server that serves it, and the WebSocket protocol between them."""
