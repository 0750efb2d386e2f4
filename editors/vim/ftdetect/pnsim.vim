" Several programs have files named .net: a net of pnsim has a line that starts with one of its keywords.
au BufNewFile,BufRead *.net if search('^\s*\%(net\|place\|transition\|module\|param\|import\)\s\+[[:alpha:]"]', 'nw') || line('$') == 1 | setfiletype pnsim | endif
