if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s comments=:##,:#
setlocal shiftwidth=2 softtabstop=2 expandtab textwidth=120
setlocal suffixesadd=.net
if executable('pnsim')
  setlocal makeprg=pnsim\ check\ %:S
  setlocal errorformat=%Eerror[%*[^]]]:\ %m,%Wwarning[%*[^]]]:\ %m,%Inote[%*[^]]]:\ %m,%C%*\\s-->\ %f:%l:%c,%-G%.%#
  setlocal formatprg=pnsim\ fmt\ -
endif
let b:undo_ftplugin = 'setlocal commentstring< comments< shiftwidth< softtabstop< expandtab< textwidth< suffixesadd< makeprg< errorformat< formatprg<'
