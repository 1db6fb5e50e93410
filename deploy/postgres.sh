#!/bin/sh
# PostgreSQL's image runs this once: the daemon's role, with the password that database.url has. \password sends only
# its hash.
set -e
url=$(cat "${DATABASE_URL_FILE:-/run/secrets/database.url}")
password=${url#postgresql://nudged_daemon:}
password=${password%%@*}
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -c "create role nudged_daemon login"
printf '%s\n' "$password" "$password" | psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -c '\password nudged_daemon'
