#!/usr/bin/env bash
# Make sure that Java 17 or newer is there, which Spark needs. Installs it on Debian as root; otherwise says
# what to install. A missing Java is not an error: all but limen.spark works without.
set -euo pipefail

needed=17
version=$(java -version 2>&1 | sed -n '1s/.*version "\([0-9]*\).*/\1/p' || true)
if [ -n "$version" ] && [ "$version" -ge "$needed" ]; then
    echo "java: $version"
    exit 0
fi

echo "java: expected $needed or newer, got ${version:-none}."
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "java: installing openjdk-$needed-jre-headless"
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "openjdk-$needed-jre-headless" && exit 0
    echo "java: the installation failed."
fi
cat <<TEXT
Hint: install Java $needed to run Limen on Spark (everything in-process works without it):
  Debian, Ubuntu  sudo apt-get install openjdk-$needed-jre-headless
  Fedora          sudo dnf install java-$needed-openjdk-headless
  macOS           brew install openjdk@$needed
TEXT
