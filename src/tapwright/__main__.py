"""`python -m tapwright`."""

from tapwright.cli.main import main

main()
