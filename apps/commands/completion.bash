_pwh() {
    local line=${COMP_LINE:0:COMP_POINT} words current typed
    read -ra words <<< "$line"
    [[ $line == *[[:blank:]] ]] && words+=("")
    current=${words[-1]}
    typed=${current%"${current##*[@:=]}"}
    local IFS=$'\n'
    COMPREPLY=($(pwh completion words -- "${words[@]:1}" 2>/dev/null))
    COMPREPLY=("${COMPREPLY[@]#"$typed"}")
}
complete -o default -F _pwh pwh
