"""Members of one's own to begin with, a whole file each: `tapwright new KIND NAME` copies one."""
