#!/bin/sh
# Makes the secrets of compose.yaml in deploy/secrets, as root. It changes none that is there.
# Keep docket_secret with your backups: without it encrypted secrets cannot be opened.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets
# Compose mounts the files as they are, and Docket runs as user 10001.
make() {
  file=$1
  shift
  [ -e "$file" ] || "$@" > "$file"
  chown 10001:10001 "$file"
  chmod 400 "$file"
}
make docket_secret openssl rand -hex 32
make metrics_token openssl rand -hex 32
make postgres_password openssl rand -hex 32
make database_url echo "postgres://docket:$(cat postgres_password)@postgres/docket"
# To send emails, write smtp://user:password@mail.example.com:587 into it, and set DOCKET_SMTP_URL_FILE in
# deploy/.env.
make smtp_url true
