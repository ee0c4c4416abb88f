#!/bin/sh
# install_suites.sh PYTHON: environments with published suites, for the slow tests of harnesses.
#
# What does not install is skipped by the tests: PyPI may be out of reach. desktop-env comes without
# what it declares, gigabytes of which few metrics use; tests/harnesses/*.txt are what is needed.
python=$1
root=$(dirname "$0")/..
for name in osworld browsergym; do
    place=$root/.make/suites/$name
    rm -rf "$place"
    "$python" -m venv "$place" &&
        "$place/bin/python" -m pip install --quiet --disable-pip-version-check \
            -r "$root/tests/harnesses/$name.txt" &&
        { [ $name != osworld ] || "$place/bin/python" -m pip install --quiet \
            --disable-pip-version-check --no-deps desktop-env==1.0.2; } ||
        { echo "    note: the tests that need $name are skipped"; rm -rf "$place"; }
done
exit 0
