#!/usr/bin/env bash
# Make sure that a Chromium is there, in which the tests of the console run. Installs it on Debian as root; otherwise
# says what to install.
set -euo pipefail

for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null; then
        echo "browser: $(command -v "$name")"
        exit 0
    fi
done

echo "browser: expected Chromium, got none."
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "browser: installing chromium"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium && exit 0
    echo "browser: the installation failed."
fi
cat <<TEXT
Hint: install Chromium to test the console in it:
  Debian  sudo apt-get install chromium
  Fedora  sudo dnf install chromium
  macOS   brew install --cask chromium
TEXT
exit 1
