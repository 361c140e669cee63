#!/bin/sh
# Proves that a backup can be restored: puts the newest of a folder, or the given file, into a new embedded database in a
# temporary folder, starts Dealdeck on it, asks whether it is ready, and takes everything away again.
#   restore-drill.sh FOLDER_OR_FILE [PORT]
set -eu
backup=$(realpath -- "${1:?a backup, or a folder of backups}")
port=${2:-3999}
cd "$(dirname "$0")/.."
if [ -d "$backup" ]; then
  newest=$(ls "$backup" | grep -E '^dealdeck-[0-9]{8}T[0-9]{6}Z\.gz$' | sort | tail -n 1)
  backup=$backup/${newest:?there is no backup in this folder}
fi

# Nothing of the real installation may be touched, whatever the environment says.
unset DATABASE_URL ADMIN_USERNAME ADMIN_PASSWORD BUILT_IN_ACCOUNTS PUBLIC_URL METRICS_TOKEN DRAIN_SECONDS
DATA_DIR=$(mktemp -d)
# Run by root, the database server is another user, who has to get in.
chmod 711 "$DATA_DIR"
# Its sources must not be asked a second time.
PORT=$port HOST=127.0.0.1 SAMPLE_DEALS=off WORKERS=off
export DATA_DIR PORT HOST SAMPLE_DEALS WORKERS
process=
finish() {
  code=$?
  trap - EXIT
  if [ -n "$process" ]; then
    kill "$process" 2>/dev/null || true
    wait "$process" || true
  fi
  rm -rf "$DATA_DIR"
  exit "$code"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

echo "Trying $backup"
node_modules/.bin/node server/src/cli/main.ts restore "$backup"
node_modules/.bin/node server/src/main.ts --no-web >"$DATA_DIR/said.txt" 2>&1 &
process=$!
tries=0
until node_modules/.bin/node -e "
  const answer = await fetch('http://127.0.0.1:$port/readyz')
  process.exit(answer.ok ? 0 : 1)" 2>/dev/null; do
  tries=$((tries + 1))
  if [ "$tries" -gt 30 ] || ! kill -0 "$process" 2>/dev/null; then
    cat "$DATA_DIR/said.txt" >&2
    echo "$backup was restored, but Dealdeck does not become ready on it." >&2
    exit 1
  fi
  sleep 1
done
echo "$backup can be restored, and Dealdeck runs on it."
