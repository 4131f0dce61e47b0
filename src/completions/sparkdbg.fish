# Completions of sparkdbg for fish: sparkdbg itself tells what a word may become.
function __sparkdbg_complete
    set -l word (commandline -ct)
    set -l answer (command sparkdbg completions fish -- (commandline -opc) "$word" 2>/dev/null)
    set -l kind $answer[1]
    set -e answer[1]
    set -l option (string match -r -- '^--[^=]*=' "$word")
    set -l path (string replace -r -- '^--[^=]*=' '' "$word")
    switch "$kind"
        case files
            printf "$option%s\n" (__fish_complete_path "$path")
        case directories
            printf "$option%s\n" (__fish_complete_directories "$path")
        case '*'
            string join -- \n $answer
    end
end
complete -c sparkdbg -f -a '(__sparkdbg_complete)'
