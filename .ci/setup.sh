#!/usr/bin/env bash
# Sets up .venv for the make targets: setup.sh base|test|dev. Does nothing if it is up to date.
#   base  gemmgen itself            test  + pytest, Hypothesis, nvcc if the machine has none
#   dev   + ruff, mypy, codespell, build, NVRTC for CUDA 13 and, for sm_70, for CUDA 12.9
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

level=${1:?setup.sh base|test|dev}
venv=.venv
python=$venv/bin/python

say() { printf '%s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

is_recent() { [ -n "$(command -v "$1")" ] && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 python; do
    if [ -n "$candidate" ] && is_recent "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  die "gemmgen needs Python 3.11 or above and found none on the path." \
    "Install one (Debian, Ubuntu: apt-get install python3 python3-venv) or name it: make PYTHON=/path/to/python3.12 ..."
}

check_cxx() {
  # ${CXX} may be a path that holds spaces, or a command with arguments; gemmgen/toolchain.py reads it likewise.
  local -a cxx=(g++)
  if [ -n "${CXX:-}" ]; then
    if [ -f "$CXX" ]; then cxx=("$CXX"); else read -r -a cxx <<<"$CXX"; fi
  elif [ -z "$(command -v g++)" ] && [ -n "$(command -v clang++)" ]; then
    cxx=(clang++)
  fi
  printf '#include <optional>\nint main() { return 0; }\n' | "${cxx[@]}" -std=c++17 -fsyntax-only -x c++ - 2>/dev/null ||
    die "gemmgen needs a C++17 compiler for its CPU emulator and ${cxx[*]} is none." \
      "Install g++ 9 or above (Debian, Ubuntu: apt-get install g++) or name one: make CXX=/path/to/g++ ..."
}

# What the environment depends on. A stamp that holds the same sum says that it is up to date.
sum() { cat pyproject.toml .ci/constraints.txt .ci/setup.sh | cksum; }

make_venv() {
  if [ -x "$python" ] && is_recent "$python"; then return; fi
  local base
  base=$(find_python)
  say "Making $venv with $("$base" --version) ..."
  "$base" -m venv --clear "$venv" ||
    die "$base can not make a virtual environment. Debian, Ubuntu: apt-get install python3-venv"
}

install() {
  "$python" -m pip install --quiet --disable-pip-version-check --no-input --constraint .ci/constraints.txt "$@"
}

finds() { "$python" -c "import sys; from gemmgen import toolchain; sys.exit($1 is None)"; }

install_nvcc() {
  if finds 'toolchain.find_nvcc()'; then return; fi
  say "No nvcc on this machine: installing its wheels ..."
  install --editable '.[nvcc]' ||
    say "WARNING: the nvcc wheels can not be had. Every test that compiles with nvcc will be SKIPPED (and counted)."
}

install_nvrtc() {
  finds 'toolchain.find_nvrtc(13)' && finds 'toolchain.find_nvrtc(12)' && return
  say "Installing NVRTC 13.0 and 12.9 ..."
  install --editable '.[nvrtc,nvrtc12]' ||
    say "WARNING: NVRTC can not be had. Every test that compiles with it will be SKIPPED (and counted)."
}

check_cxx
make_venv
stamp=$venv/.setup-$level
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(sum)" ]; then exit 0; fi
say "Setting up $venv ($level) ..."
case $level in
  base) install --editable . ;;
  test)
    install --editable '.[test]'
    install_nvcc
    ;;
  dev)
    install --editable '.[test,dev]'
    install_nvcc
    install_nvrtc
    ;;
  *) die "setup.sh base|test|dev" ;;
esac
sum >"$stamp"
