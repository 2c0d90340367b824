import { arms, namedCase, type Place } from './tree.ts';

const HEAD = '# Made by "posthorn completion"; make it anew after an update.';

/** Needs bash 3.2 or newer, and nothing else. */
function bash(places: readonly Place[]): string {
  const { values, words } = arms(places);
  return `${HEAD}
_posthorn() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" at='' list='' files='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${namedCase(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $prev" in
${values}
    *)
      case "$at" in
${words}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$list" -- "$cur"))
  if [[ -n $files && $cur != -* ]]; then
    while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$cur")
    # Only here: else a folder that is called like a command makes a path of it. Bash 3.2 does not have it.
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _posthorn posthorn
`;
}

function zsh(places: readonly Place[]): string {
  const { values, words } = arms(places);
  return `#compdef posthorn
${HEAD}
_posthorn() {
  local at='' list='' files='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${namedCase(places)}) at="$at $word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${values}
    *)
      case "$at" in
${words}
      esac
      ;;
  esac
  compadd -- \${=list}
  if [[ -n $files && \${words[CURRENT]} != -* ]]; then _files; fi
}
compdef _posthorn posthorn
`;
}

function fish(places: readonly Place[]): string {
  const lines: string[] = [];
  for (const { at, words, options, valued, files } of places) {
    const here = `-n 'test "$(__posthorn_at)" = "${at}"'`;
    if (files) lines.push(`complete -c posthorn ${here} -F`);
    for (const { text, says } of words) lines.push(`complete -c posthorn ${here} -a '${text}' -d '${says}'`);
    for (const { text, says } of options) {
      const takes = valued.find(({ names }) => names.includes(text));
      const value = takes === undefined ? '' : takes.values.length > 0 ? ` -x -a '${takes.values.join(' ')}'` : ' -r';
      lines.push(`complete -c posthorn ${here} -l '${text.slice(2)}'${value} -d '${says}'`);
    }
  }
  return `${HEAD}
function __posthorn_at
    set -l at ''
    for word in (commandline -opc)[2..]
        switch "$at $word"
            case ${namedCase(places).replaceAll(' | ', ' ')}
                set at "$at $word"
        end
    end
    echo -- "$at"
end
complete -c posthorn -f
${lines.join('\n')}
`;
}

/** A script for each shell, which knows every command, option and value. */
export const SCRIPTS = { bash, zsh, fish } as const;
