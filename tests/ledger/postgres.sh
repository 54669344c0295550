#!/bin/sh
# A PostgreSQL server for tests, in a folder of its own, with fsync on, as by default, and a Unix socket in that folder as its only door.
#   tests/ledger/postgres.sh make FOLDER    makes the folder and starts the server; prints its URL without the database
#   tests/ledger/postgres.sh start FOLDER   starts it again, after it was killed
#   tests/ledger/postgres.sh stop FOLDER    stops it; the folder stays
# Exit status 77: no server is installed. PostgreSQL does not run as root: then it runs as the user postgres.
set -eu
action=$1 folder=$2

programs=$(dirname "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1)" || true)
if [ -z "$programs" ] || [ ! -x "$programs/initdb" ]; then
  echo "no PostgreSQL server is installed" >&2
  exit 77
fi
run() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && runuser -u postgres -- "$@")
  else
    "$@"
  fi
}
start() {
  # -w waits until recovery is over.
  run "$programs/pg_ctl" -s -w -t 120 -D "$folder/data" -l "$folder/log" \
    -o "-c listen_addresses='' -c unix_socket_directories='$folder'" start >/dev/null
}

case $action in
  make)
    mkdir -p "$folder"
    [ "$(id -u)" != 0 ] || chown postgres "$folder"
    chmod 700 "$folder"
    run "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C >/dev/null
    start
    # Slashes of the folder are part of a host's name here.
    echo "postgresql://postgres@$(echo "$folder" | sed 's|/|%2F|g')"
    ;;
  start) start ;;
  stop) run "$programs/pg_ctl" -s -w -m immediate -D "$folder/data" stop ;;
esac
