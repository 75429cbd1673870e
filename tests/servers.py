"""A real PostgreSQL server of the tests' own, in a temporary folder; gone when they end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

USER, PASSWORD = "ropewalk", "s3cret word/@:"
QUIET = ("fsync=off", "full_page_writes=off", "autovacuum=off", "shared_buffers=16MB")
NO_POSTGRES = "There is no PostgreSQL server here: tests/install-system.sh installs one."


def find_programs():
    """Return the folder of `initdb` and `pg_ctl`, which Debian keeps away from the PATH; None where there is none."""
    found = shutil.which("initdb")
    places = [Path(os.path.realpath(found)).parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


def unprivileged():
    """Return how a subprocess is started as a user that PostgreSQL accepts, and who that is: root it refuses."""
    if os.geteuid():
        return {}, os.geteuid()
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    who = names.get("postgres") or names["nobody"]
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}, who.pw_uid


class PostgresServer:
    """A server with an empty database, reached by a password at 127.0.0.1 and freely by a Unix socket."""

    def __init__(self, programs):
        self._programs = programs
        self._as_user, owner = unprivileged()
        self._folder = Path(tempfile.mkdtemp(prefix="rw-pg-", dir="/tmp"))  # a socket has a short name
        os.chown(self._folder, owner, -1)
        secret = self._folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        self._call(
            "initdb", "--pgdata", self.data, "--username", USER, "--pwfile", secret, "--no-sync", "--encoding", "UTF8",
            "--locale", "C", "--auth-local", "trust", "--auth-host", "scram-sha-256",
        )  # fmt: skip
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.start()

    @property
    def data(self):
        return self._folder / "data"

    @property
    def url(self):
        """Where it is, without a password: by its socket."""
        return f"postgresql://{USER}@/postgres?host={self._folder}&port={self.port}"

    @property
    def secret_url(self):
        """Where it is, with the password."""
        quoted = PASSWORD.replace("/", "%2F").replace("@", "%40").replace(":", "%3A").replace(" ", "%20")
        return f"postgresql://{USER}:{quoted}@127.0.0.1:{self.port}/postgres"

    def start(self):
        options = [f"-c {setting}" for setting in QUIET]
        options += [f"-p {self.port}", f"-k {self._folder}", "-c listen_addresses=127.0.0.1"]
        log = self._folder / "log"
        self._call("pg_ctl", "start", "--pgdata", self.data, "--wait", "--log", log, "--options", " ".join(options))

    def kill(self):
        """End the server at once, as a machine that loses its power; `start` brings it back."""
        self._call("pg_ctl", "stop", "--pgdata", self.data, "--mode", "immediate", "--wait", check=False)

    def close(self):
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _call(self, program, *arguments, check=True):
        # Its output goes to a file: a server that holds a pipe open would keep us waiting.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
            command = [self._programs / program, *arguments]
            done = subprocess.run(
                command, check=False, cwd="/", stdout=told, stderr=told, stdin=subprocess.DEVNULL, **self._as_user
            )
            told.seek(0)
            assert not check or done.returncode == 0, told.read()
