#!/bin/bash -p
# Written by sparkdbg: `bin/java` of a directory that is a JAVA_HOME in everything else. It starts the
# real java with the same words; if they start an executor of Spark's, with a debug agent before them.
# Whatever goes wrong in here, the real java starts. Safe to delete while no Spark worker uses it.
#
#   SPARKDBG_JAVA      the real java; without it, the one of the directory behind `sparkdbg-real`
#   SPARKDBG_AGENT     the agent, one word: -agentlib:jdwp=…; without it, no agent
#   SPARKDBG_EXISTING  replace: an agent that the application brings gives way; else it is kept
#   SPARKDBG_APP       only executors of the application with this id
#   SPARKDBG_LOCK      a file: at most one JVM that holds it gets the agent
#   SPARKDBG_LISTENER  addresses as in /proc/net/tcp: the agent only if a socket listens on one of them
#   SPARKDBG=off       no agent

# Bash is told (-p) to take no functions, options or BASH_ENV from the environment: the application sets
# it. They reach the JVM all the same.

shim=${0%/bin/java}
java=$SPARKDBG_JAVA
if [[ ! -x $java || $java -ef $0 ]]; then java=$shim/sparkdbg-real/bin/java; fi

# The main class is the first word that is neither an option nor the value of one.
main='' before=0 value=''
for word in "$@"; do
  if [[ $value ]]; then
    value=''
  else
    case $word in
      -cp | -classpath | --class-path | -p | --module-path | --upgrade-module-path | --add-modules | --limit-modules | \
        --add-exports | --add-opens | --add-reads | --patch-module | --enable-native-access | --source) value=1 ;;
      -jar | -m | --module) break ;;
      -* | @*) ;;
      *) main=$word && break ;;
    esac
  fi
  before=$((before + 1))
done

# These two start further JVMs through this script; every other is told nothing of it.
case $main in
  org.apache.spark.launcher.Main | org.apache.spark.deploy.worker.Worker) exec "$java" "$@" ;;
esac
agent=$SPARKDBG_AGENT existing=$SPARKDBG_EXISTING app=$SPARKDBG_APP lock=$SPARKDBG_LOCK listener=$SPARKDBG_LISTENER
if [[ $JAVA_HOME -ef $shim ]]; then export JAVA_HOME="${java%/bin/java}"; fi
unset SPARKDBG_JAVA SPARKDBG_AGENT SPARKDBG_EXISTING SPARKDBG_APP SPARKDBG_LOCK SPARKDBG_LISTENER

case $main in
  org.apache.spark.executor.CoarseGrainedExecutorBackend) ;;
  org.apache.spark.executor.YarnCoarseGrainedExecutorBackend) ;;
  org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend) ;;
  *) exec "$java" "$@" ;;
esac
if [[ ! $agent || $SPARKDBG == off ]]; then exec "$java" "$@"; fi
if [[ $app ]]; then
  previous='' this=''
  for word in "${@:before+1}"; do
    if [[ $previous == --app-id ]]; then this=$word; fi
    previous=$word
  done
  if [[ $this != "$app" ]]; then exec "$java" "$@"; fi
fi

# In a shell of its own: a broken pipe must not end this one.
say() (printf 'sparkdbg: %s\n' "$*" >&2)

# Parts words into agents, with what belongs to them, and the others.
part() {
  local word path xrun=''
  agents=() others=()
  for word in "$@"; do
    case $word in -Xrunjdwp | -Xrunjdwp:*) xrun=1 ;; esac
  done
  for word in "$@"; do
    case $word in
      -agentlib:jdwp | -agentlib:jdwp=* | -Xrunjdwp | -Xrunjdwp:*) agents+=("$word") ;;
      -agentpath:*)
        path=${word%%=*}
        case ${path##*[:/]} in libjdwp.so | libjdwp.dylib) agents+=("$word") ;; *) others+=("$word") ;; esac
        ;;
      -Xdebug | -Xnoagent | -Djava.compiler=NONE) if [[ $xrun ]]; then agents+=("$word"); else others+=("$word"); fi ;;
      *) others+=("$word") ;;
    esac
  done
}

# Whether a file of options that is among the words has an agent.
file_has_agent() {
  local word file
  for word in "$@"; do
    case $word in
      @*) file=${word#@} ;;
      -XX:VMOptionsFile=*) file=${word#*=} ;;
      *) continue ;;
    esac
    if [[ -f $file && -r $file && $(<"$file") == *jdwp* ]]; then return 0; fi
  done 2>/dev/null
  return 1
}

# Whether an agent waits for debuggers on a port of its own choice.
opens_a_fixed_port() {
  local options=,${1#*jdwp*[:=]}, address
  if [[ $options != *,server=y,* || $options != *,address=* ]]; then return 1; fi
  address=${options##*,address=}
  address=${address%%,*}
  [[ ${address##*:} != 0 ]]
}

# A second agent ends the JVM. One in a file, or between quotes in a variable, cannot be taken out here.
part "${@:1:before}"
options=("${others[@]}") taken=("${agents[@]}") stays=''
if file_has_agent "${options[@]}"; then stays='a file of JVM options'; fi
names=() values=()
for name in JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS; do
  if [[ ${!name} == *[\"\']* ]]; then
    if [[ ${!name} == *jdwp* ]]; then stays=$name; fi
    continue
  fi
  set -f
  IFS=$' \t\n\v\f\r'
  # shellcheck disable=SC2086
  part ${!name}
  unset IFS
  set +f
  if file_has_agent "${others[@]}"; then stays="a file that $name names"; fi
  if ((${#agents[@]})); then
    taken+=("${agents[@]}") names+=("$name") values+=("${others[*]}")
  fi
done
if [[ $stays ]]; then
  say "no debug agent is added: there is one in $stays already"
  exec "$java" "$@"
fi
if ((${#taken[@]})); then
  if [[ $existing != replace ]]; then
    word=''
    if opens_a_fixed_port "${taken[0]}"; then
      word='; another executor on this machine cannot have its port, dies, and is started again: --existing=replace'
    fi
    say "kept: ${taken[*]}$word"
    exec "$java" "$@"
  fi
  say "replaced: ${taken[*]}"
  for at in "${!names[@]}"; do
    if [[ ${values[at]} ]]; then export "${names[at]}=${values[at]}"; else unset "${names[at]}"; fi
  done
fi

# The JVM inherits descriptor 9, and no child of the JVM does: so the lock goes with the JVM, whatever
# ends it. 1: somebody else has it.
take_lock() {
  local PATH=$PATH:/usr/bin:/bin
  command exec 9>>"$lock" || return 2
  if type -P flock >/dev/null; then
    flock -n 9
  else
    perl -e 'open my $lock, ">>&=", 9 or exit 2; exit !flock $lock, 2 | 4'
  fi
}

# A JVM whose dial is refused ends, and Spark starts the next one at once, again and again.
is_awaited() {
  [[ $listener && -r /proc/net/tcp ]] || return 0
  local address sockets no4=00000000 no6=00000000000000000000000000000000
  { sockets=$(</proc/net/tcp)$(</proc/net/tcp6); } 2>/dev/null
  for address in $listener; do
    case $sockets in *": $address $no4:0000 0A "* | *": $address $no6:0000 0A "*) return 0 ;; esac
  done
  return 1
}

why_not=''
if [[ $lock ]]; then
  take_lock
  case $? in
    0) ;;
    1) why_not='another executor has the debugger' ;;
    *) why_not="$lock cannot be locked" ;;
  esac
fi
if [[ ! $why_not ]] && ! is_awaited; then
  why_not="nobody listens where it would dial: $agent"
fi
if [[ $why_not ]]; then
  say "no debug agent: $why_not"
  if [[ $lock ]]; then exec 9>&-; fi
else
  say "debug agent: $agent"
  options=("$agent" "${options[@]}")
fi
exec "$java" "${options[@]}" "${@:before+1}"
