#!/bin/sh
# PostgreSQL's image runs this once: the app's database and its owner, who is no superuser, and the daemon's role, with
# the passwords that their URLs have. \password sends only a hash.
set -e
sql() { psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d postgres -c "$1"; }
# make ROLE OPTIONS SECRET
make() {
    url=$(cat "${SECRETS:-/run/secrets}/$3")
    password=${url#postgresql://$1:}
    password=${password%%@*}
    sql "create role $1 login $2"
    printf '%s\n' "$password" "$password" | sql "\\password $1"
}
make app createrole migrate.database.url
make nudged_daemon '' database.url
sql 'create database app owner app'
