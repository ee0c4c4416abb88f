"""Write the description of the web app's API to `docs/openapi.json`.

Run: python scripts/write_openapi.py. `npm run types` in `frontend/` then generates the frontend's
types from it.
"""

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tapwright.web.app import WebConfig, create_app
from tapwright.web.openapi import describe_routes
from tapwright.web.team.team import Team

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"


def openapi_json() -> str:
    """The document of an app with all of its routes, as the file has it."""
    with TemporaryDirectory() as directory:
        team = Team(f"sqlite:///{directory}/team.db")
        try:
            app = create_app(
                WebConfig(episodes=Path(directory), team=team, authenticator=team.accounts)
            )
            document = describe_routes(app.routes)
        finally:
            team.close()
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the document."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    DOCUMENT.write_text(openapi_json(), encoding="utf-8")
    sys.stdout.write(f"{DOCUMENT}\n")


if __name__ == "__main__":
    main()
