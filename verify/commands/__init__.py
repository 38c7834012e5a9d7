"""The subcommands of ``symtape``, one a file."""
