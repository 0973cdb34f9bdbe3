#!/bin/sh
# expect PROGRAM MISTAKE WORDS: passes if the program dies of its mistake and the sanitizer names it.
set -u
if said=$("$1" "$2" 2>&1); then
    echo "'$2' went unnoticed"
    exit 1
fi
case $said in *"$3"*) ;; *) echo "'$2' was not called '$3': $said" && exit 1 ;; esac
