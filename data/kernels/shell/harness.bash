# Shell kernel: an interactive bash (4.1 or newer) that runs cells from its PROMPT_COMMAND; the protocol is in ../PROTOCOL.md.
#
# PROMPT_COMMAND, because only then does bash behave as its users know it: ^C unwinds whatever runs back to the prompt,
# job control works, variables declared in a cell are global. Each cell is sourced from its file, so no line of it is
# read by anything else, an unclosed quote ends with the file, and line numbers are right.
#
# bash reads this file once, from PROMPT_COMMAND in the environment (with --norc: no one's startup file is read).
#
# SPDX-License-Identifier: GPL-3.0-or-later

set +o history +o histexpand
shopt -u checkwinsize
unset HISTFILE MAILCHECK TMOUT
export -n PROMPT_COMMAND PS1
PS1= PS2='> '

__interp_token=$INTERP_KERNEL_TOKEN

# The channels live at 250 and 251: high enough that `exec {x}>file` in a cell does not meet them.
case $INTERP_KERNEL_REQUESTS in
  /*) exec 250<"$INTERP_KERNEL_REQUESTS" ;;
  *) eval "exec 250<&$INTERP_KERNEL_REQUESTS $INTERP_KERNEL_REQUESTS<&-" ;;
esac
case $INTERP_KERNEL_EVENTS in
  /*) exec 251>"$INTERP_KERNEL_EVENTS" ;;
  *) eval "exec 251>&$INTERP_KERNEL_EVENTS $INTERP_KERNEL_EVENTS>&-" ;;
esac
exec 252>&1
unset "${!INTERP_KERNEL_@}"

# Sets __interp_quoted to its argument as a JSON string.
__interp_quote() {
  local LC_ALL=C text=$1
  text=${text//\\/\\\\}
  text=${text//\"/\\\"}
  text=${text//$'\n'/\\n}
  text=${text//$'\t'/\\t}
  text=${text//[[:cntrl:]]/?}
  __interp_quoted="\"$text\""
}

__interp_send() {
  builtin printf '%s\n' "$1" >&251
}

__interp_mark() {
  builtin printf '\e]7770;%s;%s;%s\a' "$__interp_token" "$1" "$__interp_cell" >&252
}

# `exit` ends the cell, not the shell: it unwinds to the prompt as ^C does. In a subshell it is itself.
__interp_define() {
  exit() {
    __interp_status=${1-$?}
    if [[ $BASHPID != $$ ]]; then
      builtin exit "$__interp_status"
    fi
    [[ $__interp_status == *[!0-9]* ]] && __interp_status=2
    __interp_run_exit_trap
    __interp_unwind exit
  }
}

# What a cell left to be done on EXIT is done when it calls `exit`.
__interp_run_exit_trap() {
  local told status=$__interp_status
  told=$(builtin trap -p EXIT)
  if [[ $told ]]; then
    builtin trap - EXIT
    builtin eval "set -- ${told#trap -- }"
    __interp_return "$status"
    builtin eval "$1"
    __interp_status=$status
  fi
}

__interp_return() {
  return "$1"
}

# Back to the prompt, as if by ^C; bash then prints an empty line on standard error, which nobody shall see.
__interp_unwind() {
  __interp_outcome=$1
  PROMPT_COMMAND=$__interp_loop
  set +eux
  builtin trap - INT ERR
  exec 253>&2 2>/dev/null
  __interp_muted=1
  builtin kill -INT $$
}

# Runs whenever a command fails, before `set -e` ends the shell: status, file, line, command.
__interp_failed() {
  if [[ $2 == "$__interp_path" ]]; then
    __interp_status=$1 __interp_line=$3 __interp_command=$4
  fi
  if [[ -o errexit && $BASHPID == $$ ]]; then
    __interp_status=$1
    __interp_unwind stopped
  fi
  return "$1"
}
__interp_on_error='__interp_failed "$?" "${BASH_SOURCE-}" "$LINENO" "$BASH_COMMAND"'

__interp_begin() {
  __interp_cell=$1 __interp_path=$2
  __interp_outcome= __interp_status= __interp_line= __interp_command= __interp_sourced=
  while [[ -t 0 ]] && builtin read -r -t 0 && IFS= builtin read -r _; do :; done 2>/dev/null
  __interp_define
  __interp_mark start
  __interp_send '{"t":"started","id":'$__interp_cell'}'
}

# Takes back what a cell may have set and the next one counts on: what scripts begin with ("set -euo pipefail", IFS) lasts
# for one cell.
__interp_restore() {
  set +euxvET +o pipefail +o posix
  builtin trap - INT
  builtin shopt -u extdebug
  PROMPT_COMMAND=$__interp_loop PS1=
  IFS=$' \t\n'
}

# Tells how the cell ended: $1 is what its last command returned.
__interp_end() {
  local status=$1 outcome=$__interp_outcome line=$__interp_line message
  __interp_restore
  case $outcome in
    exit) status=$__interp_status; outcome=exit ;;
    stopped) status=$__interp_status; outcome=error ;;
    ran) if ((status == 0)); then outcome=ok; elif ((status == 130)); then outcome=interrupted; else outcome=error; fi ;;
    left) status=0 outcome=ok ;;
    *) if ((status == 130)) || [[ ! $__interp_sourced ]]; then outcome=interrupted status=130; else outcome=error; fi ;;
  esac
  if [[ $outcome == error ]]; then
    message="Exit status $status"
    if ((status == 2)) && __interp_syntax; then
      line=$__interp_line message=$__interp_message
    elif [[ $__interp_command && $__interp_status == "$status" ]]; then
      message+=": ${__interp_command:0:200}"
    else
      line=0
    fi
    __interp_quote "$message"
    __interp_send '{"t":"error","id":'$__interp_cell',"name":"","message":'"$__interp_quoted"',"traceback":"","line":'"${line:-0}"'}'
  fi
  __interp_mark end
  __interp_quote "$PWD"
  __interp_send '{"t":"finished","id":'$__interp_cell',"status":"'$outcome'","code":'$((status & 255))',"cwd":'"$__interp_quoted"'}'
  __interp_cell=
}

# Is the cell wrong by its syntax? Its line and message then.
__interp_syntax() {
  local said
  said=$(LC_ALL=C "$BASH" -O extglob -n "$__interp_path" 2>&1 250<&- 251>&- 252>&-) && return 1
  said=${said%%$'\n'*}
  [[ $said =~ :\ line\ ([0-9]+):\ (.*) ]] || return 1
  __interp_line=${BASH_REMATCH[1]} __interp_message=${BASH_REMATCH[2]}
}

# Waits for a cell to run. Fails at the end of requests.
__interp_next() {
  local request number argument
  if [[ $__interp_cell ]]; then # a stray `continue 2`
    __interp_outcome=left
    __interp_end 0
  fi
  while IFS=$'\t' builtin read -r -u 250 request number argument; do
    case $request in
      execute)
        __interp_begin "$number" "$argument"
        return 0
        ;;
      shutdown) break ;;
    esac
  done
  __interp_over=1
  return 1
}

# Text, not a function: what a cell declares is global, and ^C comes back here. The channels are closed while a cell is
# sourced, so nothing that it starts inherits them. A stray `break` or `continue` in a cell ends the inner loop; one
# with a large number ends both, and the prompt starts them anew. The first of two exits may only warn of stopped jobs.
__interp_loop='
{
  __interp_code=$?
  if [[ $__interp_muted ]]; then
    exec 2>&253 253>&-
    __interp_muted=
  fi
} >/dev/null
{
  builtin trap - ERR DEBUG RETURN
  if [[ $__interp_cell ]]; then
    __interp_end "$__interp_code"
  fi
} >/dev/null 2>&1
while { builtin trap - ERR DEBUG RETURN; } >/dev/null 2>&1; __interp_next; do
  builtin trap "$__interp_on_error" ERR
  set -E
  for __interp_code in 0; do
    __interp_sourced=1
    builtin . "$__interp_path" 250<&- 251>&- 252>&-
    {
      __interp_code=$?
      builtin trap - ERR DEBUG RETURN
      __interp_outcome=ran
    } >/dev/null 2>&1
  done
  {
    builtin trap - ERR DEBUG RETURN
    __interp_outcome=${__interp_outcome:-left}
    __interp_end "$__interp_code"
  } >/dev/null 2>&1
done
[[ $__interp_over ]] || __interp_unwind left
__interp_send "{\"t\":\"exiting\",\"code\":0}"
builtin exit 0
builtin exit 0'

__interp_quote "$PWD"
__interp_folder=$__interp_quoted
__interp_quote "$BASH"
__interp_send '{"t":"ready","proto":1,"lang":"shell","version":"'"${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}.${BASH_VERSINFO[2]}"'","pid":'$$',"exe":'"$__interp_quoted"',"cwd":'"$__interp_folder"',"features":[]}'

PROMPT_COMMAND=$__interp_loop
__interp_cell= __interp_over= __interp_muted=
eval "$__interp_loop"
