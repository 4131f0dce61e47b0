# Completions of sparkdbg for bash: sparkdbg itself tells what a word may become.
_sparkdbg() {
    local line="${COMP_LINE:0:COMP_POINT}" words=("${COMP_WORDS[0]}") at piece kind=
    line="${line#*"$words"}"
    # bash parts words at `=` and `:`; what no blank parts is one word. The last one ends at the cursor.
    for ((at = 1; at <= COMP_CWORD; at++)); do
        if [[ "$line" == [[:space:]]* ]]; then
            words+=("")
            line="${line#"${line%%[![:space:]]*}"}"
        fi
        piece="${COMP_WORDS[at]}"
        ((at < COMP_CWORD)) || piece="$line"
        words[${#words[@]} - 1]+="$piece"
        line="${line#"$piece"}"
    done
    # Of the word, bash replaces only what it has as `$2`.
    local word="${words[${#words[@]} - 1]}" kept
    kept="${word%"$2"}"
    COMPREPLY=()
    while IFS= read -r piece; do
        if [[ -z "$kind" ]]; then
            kind="$piece"
        else
            COMPREPLY+=("$(printf %q "${piece#"$kept"}")")
        fi
    done < <(command sparkdbg completions bash -- "${words[@]}" 2>/dev/null)
    _sparkdbg_has_compopt || return 0
    case "$kind" in
        starts) compopt -o nospace ;;
        files) compopt -o bashdefault -o default ;;
        directories) compopt -o dirnames ;;
    esac
}
# bash 3.2, which is that of macOS, has none: there files are offered wherever nothing else is.
_sparkdbg_has_compopt() { type compopt >/dev/null 2>&1; }
if _sparkdbg_has_compopt; then
    complete -F _sparkdbg sparkdbg
else
    complete -o bashdefault -o default -F _sparkdbg sparkdbg
fi
