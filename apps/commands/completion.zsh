_pwh() {
    local -a found
    found=("${(@f)$(pwh completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n $found ]]; then compadd -a found; else _files; fi
}
compdef _pwh pwh
