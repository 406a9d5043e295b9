"""The HTTP API: reads and operates over HTTP what the pages of the monitor show and do.

`site` assembles it, `caller` decides who calls and what that caller may do, `reading`, `operating`,
`hooks` and `views` have the endpoints. docs/api.md describes it for its users.
"""
