#!/bin/sh
# Starts a command as a container's runtime does. Arguments: a folder, the key, the URL, the configuration, and the
# command. A Secret is a read-only tmpfs of mode 1777 with links, its files of the group of `fsGroup`. A ConfigMap is a
# read-only mount of a folder of mode 0777.
set -e
folder=$1 key=$2 url=$3 configuration=$4; shift 4
mount --make-rprivate /
cd "$folder"
mkdir secrets run etc map open
mount -t tmpfs -o mode=1777 none run
mount -t tmpfs -o mode=1777 none secrets
mkdir -m 755 secrets/..1
install -m 440 "$key" secrets/..1/apns.privateKey
printf '%s' "$url" >secrets/..1/database.url
chmod 440 secrets/..1/database.url
[ "$(id -u)" != 0 ] || [ "$1" != setpriv ] || chgrp -R 4243 secrets/..1
ln -s ..1 secrets/..data
ln -s ..data/apns.privateKey ..data/database.url secrets
mount -o remount,bind,ro secrets
chmod 777 map
mkdir -m 755 map/..1
printf '%s' "$configuration" >map/..1/nudged.yaml
chmod 644 map/..1/nudged.yaml
ln -s ..1 map/..data
ln -s ..data/nudged.yaml map
mount --bind map etc
mount -o remount,bind,ro etc
mount --bind map open
mount -t proc none /proc
mount -o remount,bind,ro /
exec "$@"
