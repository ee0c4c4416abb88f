#!/bin/sh
# Ends the programs of a name, as pkill or killall ($1) does, on this desktop alone.
# Of killall's options those that choose nothing are taken, and -w waits for nothing.

program=$1
shift
signal=TERM exactly=-x chosen= quiet=

left=$#
while [ "$left" -gt 0 ]; do
  word=$1 value=
  shift
  left=$((left - 1))
  case $program:$word in
    *:--signal | killall:-s | killall:-u | killall:--user)
      [ "$left" -gt 0 ] || { echo "$program: $word needs a value" >&2; exit 2; }
      value=$1
      shift
      left=$((left - 1))
      ;;
  esac
  case $program:$word in
    killall:-u | killall:--user) chosen="$chosen -u $value" ;;
    *:--signal | killall:-s) signal=$value ;;
    *:--signal=*) signal=${word#*=} ;;
    killall:-s?*) signal=${word#-s} ;;
    *:-[0-9]* | *:-[A-Z][A-Z]*) signal=${word#-} ;;
    pkill:-e | pkill:--echo | pkill:-c | pkill:--count) ;;  # pgrep has others of these letters
    killall:-I | killall:--ignore-case) chosen="$chosen -i" ;;
    killall:-r | killall:--regexp) exactly= ;;
    killall:-q | killall:--quiet) quiet=yes ;;
    killall:-?*) ;;
    *) set -- "$@" "$word" ;;
  esac
done
signal=${signal#SIG}

end() {
  pids=$(pgrep "$@") || return
  status=1
  for pid in $pids; do
    [ "$pid" = $$ ] && continue
    grep -qzxF "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" "/proc/$pid/environ" 2>/dev/null || continue
    kill -s "$signal" "$pid" && status=0
  done
  return $status
}

# The kernel keeps 15 letters of a name; pgrep takes it as an expression.
pattern_of() {
  if [ -z "$exactly" ]; then printf %s "$1"; else printf %.15s "$1" | sed 's/[][\.*^$+?(){}|]/\\&/g'; fi
}

if [ "$program" = pkill ]; then
  end "$@"
  exit
fi
all=0
[ $# -gt 0 ] || { echo "killall: which programs?" >&2; exit 1; }
for name; do
  end $chosen $exactly -- "$(pattern_of "$name")" && continue
  all=1
  [ "$quiet" ] || echo "$name: no process found" >&2
done
exit $all
