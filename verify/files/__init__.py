"""Files: places in the user's sources, the package's own data, the folder that runs share."""
