#!/usr/bin/env bash
# Written by sparkdbg, in the place of Flink's script of this name: gives a JobManager or TaskManager more
# settings, and runs the real script. Safe to delete while nothing starts.
#
# SPARKDBG_FLINK_HOME             the real home
# SPARKDBG_JOBMANAGER_SETTINGS    key=value for a JobManager, one on each line
# SPARKDBG_TASKMANAGER_SETTINGS   the same for a TaskManager
name=${0##*/}
# flink-daemon.sh start DAEMON ARGS; flink-console.sh DAEMON ARGS
case $name in
  flink-daemon.sh) action=$1 daemon=$2 ;;
  *) action=start daemon=$1 ;;
esac
settings=
if [ "$action" = start ]; then
  case $daemon in
    standalonesession) settings=$SPARKDBG_JOBMANAGER_SETTINGS ;;
    taskexecutor) settings=$SPARKDBG_TASKMANAGER_SETTINGS ;;
  esac
fi
words=()
while IFS= read -r setting; do
  [ -z "$setting" ] || words+=(-D "$setting")
done <<< "$settings"
real=$SPARKDBG_FLINK_HOME
# The daemon is that of the real home.
export FLINK_HOME=$real
unset _FLINK_HOME_DETERMINED SPARKDBG_FLINK_HOME SPARKDBG_JOBMANAGER_SETTINGS SPARKDBG_TASKMANAGER_SETTINGS
exec "$real/bin/$name" "$@" ${words[@]+"${words[@]}"}
