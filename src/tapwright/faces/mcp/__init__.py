"""A device as a server of the Model Context Protocol (https://modelcontextprotocol.io)."""
