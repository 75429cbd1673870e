#!/bin/sh
# Install Chromium from the system's packages, if it is missing and this user may; never fail for want of it.
for name in "$ROPEWALK_CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable chrome; do
	[ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && exit 0
done

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

echo "The report is tested in Chromium, which is not here: installing it from the system's packages."
if command -v apt-get >/dev/null 2>&1; then
	as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium
elif command -v dnf >/dev/null 2>&1; then
	as_root dnf install -y -q chromium
elif command -v pacman >/dev/null 2>&1; then
	as_root pacman -S --noconfirm --quiet chromium
else
	false
fi >/dev/null 2>&1 || echo "That was not possible: the tests in a browser will be skipped."
exit 0
