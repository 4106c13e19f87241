# Sourced by the other scripts: goes to the project's folder and keeps the Python environment
# .venv there, with what requirements*.txt pin. Debian packages are installed only when missing.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }

install_debian() { # install_debian PACKAGE...
    say "Installing with apt: $*"
    local sudo=()
    [ "$(id -u)" -eq 0 ] || sudo=(sudo)
    "${sudo[@]}" apt-get update -qq
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq --yes --no-install-recommends "$@" >/dev/null
}

find_python() { # prints the first Python of at least 3.11
    local python
    for python in python3 python3.14 python3.13 python3.12 python3.11; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

prepare() { # prepare REQUIREMENTS_FILE
    if [ ! -x .venv/bin/pip ]; then
        find_python >/dev/null || install_debian python3 python3-venv
        local python
        python=$(find_python) || { say "Python 3.11 or newer is needed"; exit 1; }
        "$python" -c 'import ensurepip' 2>/dev/null || install_debian python3-venv
        "$python" -m venv .venv
    fi
    # A copy of the pins tells whether they have changed since they were installed.
    if ! cat requirements.txt "$1" | cmp --silent - ".venv/$1"; then
        say "Installing $1 into .venv"
        .venv/bin/pip install --quiet --disable-pip-version-check --requirement "$1"
        cat requirements.txt "$1" >".venv/$1"
    fi
}
