#!/usr/bin/env bash
# Run once by Gradescope, as root, when the image is built.
# GRADER_PYTHON names a Python that has the packages already: then nothing is installed.
set -euo pipefail
base="${AUTOGRADER_ROOT:-/autograder}"
source="$base/source"

if [ -z "${GRADER_PYTHON:-}" ]; then
    needed="@PACKAGES@"
    if [ -n "$needed" ] || ! python3 -c 'import ensurepip, sys; assert sys.version_info >= (3, 10)' 2>/dev/null; then
        apt-get update && apt-get install -y python3 python3-venv $needed
    fi
    python3 -m venv "$base/venv"
    from=()
    [ -d "$source/wheels" ] && from=(--no-index --find-links "$source/wheels")
    "$base/venv/bin/python" -m pip install --quiet "${from[@]}" -r "$source/requirements.txt"
fi

# what a submission must not read or write, even where the kernel holds nothing
chmod -R go-rwx "$source"
