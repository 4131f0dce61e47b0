
# What stands behind `--` is the script's: files. A value may stand behind `=`, which bash takes for a word.
_sparkdbg_words() {
    local word
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ "$word" == -- ]]; then
            COMPREPLY=()
            return 0
        fi
    done
    if [[ "$3" == = ]]; then
        _sparkdbg "$1" "$2" "${COMP_WORDS[COMP_CWORD-2]}"
    else
        _sparkdbg "$@"
    fi
}
complete -F _sparkdbg_words -o bashdefault -o default sparkdbg
