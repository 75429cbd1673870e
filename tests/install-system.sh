#!/bin/sh
# Install what the tests need from the system's packages, if it is missing and this user may: Chromium for the report,
# Java for Spark, PostgreSQL. Never fail for want of one: its tests are skipped, and say so.

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# install NAME PACKAGE-OF-APT PACKAGE-OF-DNF PACKAGE-OF-PACMAN
install() {
	echo "The tests need $1, which is not here: installing it from the system's packages."
	if command -v apt-get >/dev/null 2>&1; then
		[ -n "$updated" ] || as_root apt-get update -qq
		updated=yes
		as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2"
	elif command -v dnf >/dev/null 2>&1; then
		as_root dnf install -y -q "$3"
	elif command -v pacman >/dev/null 2>&1; then
		as_root pacman -S --noconfirm --quiet "$4"
	else
		false
	fi >/dev/null 2>&1 || echo "THAT WAS NOT POSSIBLE: the tests that need $1 cannot run."
}

# Whether one of some commands is here.
have() {
	for name in "$@"; do
		[ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && return 0
	done
	return 1
}

have "$ROPEWALK_CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable chrome ||
	install Chromium chromium chromium chromium
have java || install Java default-jre-headless java-17-openjdk-headless jre-openjdk-headless
# Debian keeps the server away from the PATH.
have initdb /usr/lib/postgresql/*/bin/initdb || install PostgreSQL postgresql postgresql-server postgresql
exit 0
