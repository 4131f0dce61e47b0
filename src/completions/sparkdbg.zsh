#compdef sparkdbg
# Completions of sparkdbg for zsh: sparkdbg itself tells what a word may become.
_sparkdbg() {
    local kind
    local -a answer
    answer=("${(@f)$(command sparkdbg completions zsh -- "${(@)words[1,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    kind=$answer[1]
    shift answer
    case $kind in
        words) _describe 'word' answer ;;
        starts) _describe 'word' answer -S '' ;;
        files) compset -P '--*='; _files ;;
        directories) compset -P '--*='; _files -/ ;;
    esac
}
if [[ $funcstack[1] == _sparkdbg ]]; then
    _sparkdbg "$@"
elif (( $+functions[compdef] )); then
    compdef _sparkdbg sparkdbg
else
    print -u2 'sparkdbg: zsh completes nothing yet; in front of this: autoload -Uz compinit && compinit'
fi
