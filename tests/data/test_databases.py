"""Rows in databases are counted where they are, and what a database refuses is said in our words."""

from __future__ import annotations

import pytest

from servers import PASSWORD, USER
from support import need


def test_the_server_of_the_tests_asks_for_its_password_and_can_be_killed(postgres_server, postgres):
    psycopg = need("psycopg")
    postgres.execute("CREATE TABLE kept AS SELECT 1 AS x")
    with psycopg.connect(postgres_server.secret_url) as other:
        assert other.execute("SELECT current_user").fetchone() == (USER,)
    wrong = postgres_server.secret_url.replace("s3cret", "guess")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed") as caught:
        psycopg.connect(wrong)
    assert PASSWORD not in str(caught.value)
    postgres_server.kill()
    with pytest.raises(psycopg.OperationalError):
        postgres.execute("SELECT 1")
    postgres_server.start()
    with psycopg.connect(postgres_server.url) as again:
        assert again.execute("SELECT x FROM kept").fetchone() == (1,)
