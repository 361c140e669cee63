#!/bin/sh
# A backup into the given folder, and away with the oldest ones there: backup.sh FOLDER
# KEEP says how many are kept (14). Settings come from the environment, as for the application.
set -eu
folder=$(realpath -- "${1:?a folder for the backups}")
keep=${KEEP:-14}
cd "$(dirname "$0")/.."

file=$folder/dealdeck-$(date -u +%Y%m%dT%H%M%SZ).gz
node_modules/.bin/node server/src/cli/main.ts backup "$file"
gzip -t "$file"

# What backups that were killed have left.
find "$folder" -maxdepth 1 -name 'dealdeck-*.part' -mtime +0 -delete

# Only now that there is a new one, which stays: by a clock that is behind it would be the oldest. The names sort by their time.
ls "$folder" | grep -E '^dealdeck-[0-9]{8}T[0-9]{6}Z\.gz$' | grep -vFx "${file##*/}" | sort -r | tail -n "+$keep" |
  while read -r old; do
    rm -- "$folder/$old"
    echo "Removed $old."
  done
