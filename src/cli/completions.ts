// Completion scripts for bash, zsh and fish, made from the tree of commands, so they match it.
// Files are completed unless an option has been started.

import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const

interface Completed {
  /** The words of the command, without the program's name: `spaces move`. */
  readonly path: string
  readonly description: string
  readonly options: readonly { readonly flag: string; readonly description: string }[]
  readonly commands: readonly string[]
}

/** The script; undefined for another shell. */
export function completions(line: Command, shell: string): string | undefined {
  const all = [...completed(line, '')]
  if (shell === 'bash') return bash(all)
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(all)}`
  if (shell === 'fish') return fish(all)
  return undefined
}

function* completed(command: Command, path: string): Iterable<Completed> {
  const { commands } = command
  yield {
    path,
    description: command.description(),
    options: command
      .createHelp()
      .visibleOptions(command)
      .map(({ long, description }) => ({ flag: long ?? '', description })),
    commands: commands.map((each) => each.name()),
  }
  for (const each of commands) {
    yield* completed(each, path === '' ? each.name() : `${path} ${each.name()}`)
  }
}

function bash(all: readonly Completed[]): string {
  const cases = all.map(({ path, options, commands }) => {
    const words = [...commands, ...options.map(({ flag }) => flag)].join(' ')
    return `    '${path}') words='${words}' ;;`
  })
  return `# Completions of sigil. Use: source <(sigil completion bash)
_sigil() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${nested(all)} " in
      *" \${path:+$path/}$word "*) path="\${path:+$path/}$word" ;;
    esac
  done
  case "\${path//\\// }" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sigil sigil
`
}

function nested(all: readonly Completed[]): string {
  return all.flatMap(({ path }) => (path === '' ? [] : [path.replace(' ', '/')])).join(' ')
}

function fish(all: readonly Completed[]): string {
  const lines = all.flatMap(({ path, description, options }) => {
    const words = path.split(' ')
    const name = words.at(-1) ?? ''
    const above = words.slice(0, -1)
    const within = (names: readonly string[]) =>
      names.length === 0
        ? '__fish_use_subcommand'
        : `__fish_seen_subcommand_from ${names.join(' ')}`
    const own =
      path === ''
        ? []
        : [`complete -c sigil -n '${within(above)}' -a ${name} -d ${quoted(description)}`]
    const where = path === '' ? '' : ` -n '${within([name])}'`
    return [
      ...own,
      ...options.map(
        (option) =>
          `complete -c sigil${where} -l ${option.flag.slice(2)} -d ${quoted(option.description)}`,
      ),
    ]
  })
  return `# Completions of sigil. Use: sigil completion fish | source\n${lines.join('\n')}\n`
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
