complete -c pwh -a '(pwh completion words -- (commandline -opc)[2..] (commandline -ct))'
