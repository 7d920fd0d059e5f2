import {
  type CommandContext,
  type CommandDefinition,
  findCommandByWords,
  formatCommandPage,
  formatOverview,
  optionsOf,
} from './command.ts'
import { CommandUsageError } from './failures.ts'

/** A word that may come next, and what it is. */
type CompletionWord = readonly [word: string, about: string]

/** The words that may stand in the place of the last one. */
function suggest(
  commands: readonly CommandDefinition[],
  words: readonly string[],
): CompletionWord[] {
  const last = words.at(-1) ?? ''
  const { command, name = [] } = findCommandByWords(commands, words.slice(0, -1))
  const candidates = command
    ? suggestForCommand(commands, command, words)
    : commands.filter(({ isHidden }) => !isHidden).flatMap((one) => nextWord(one, name))
  const unique = new Map(candidates.filter(([word]) => word.startsWith(last)))
  return [...unique]
}

/** The word of a command's name that follows these. */
function nextWord(
  { name, summary }: CommandDefinition,
  before: readonly string[],
): CompletionWord[] {
  const words = name.split(' ')
  const next = words[before.length]
  const fits = before.every((word, at) => word === words[at])
  return fits && next !== undefined ? [[next, words.length > before.length + 1 ? '' : summary]] : []
}

function suggestForCommand(
  commands: readonly CommandDefinition[],
  command: CommandDefinition,
  words: readonly string[],
): CompletionWord[] {
  const [previous = '', last = ''] = words.slice(-2)
  const options = Object.entries(optionsOf(command))
  const open = options.find(
    ([name, { short }]) => previous === `--${name}` || (short && previous === `-${short}`),
  )?.[1]
  if (open?.values) return open.values.map((value) => [value, open.about])
  if (open?.value) return []
  if (last.startsWith('-')) return options.map(([name, { about }]) => [`--${name}`, about])
  if (command.name === 'help') return suggest(commands, words.slice(words.indexOf('help') + 1))
  return (command.args ?? []).flatMap(({ values = [], about }) =>
    values.map((value): CompletionWord => [value, about]),
  )
}

/** Each script asks `docket complete` for the words that may come next, one a line with what it is. */
const SCRIPTS: Record<string, string> = {
  bash: `_docket() {
  local IFS=$'\\n'
  COMPREPLY=($(docket complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -F _docket docket`,
  zsh: `#compdef docket
_docket() {
  local -a lines
  lines=(\${(f)"$(docket complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  lines=(\${\${lines//:/\\\\:}/$'\\t'/:})
  _describe docket lines
}
compdef _docket docket`,
  fish: `function __docket_complete
  set -l words (commandline -opc)
  docket complete -- $words[2..] (commandline -ct | string collect --allow-empty) 2>/dev/null
end
complete -c docket -f -a '(__docket_complete)'`,
}

async function complete({ commands, input, output }: CommandContext) {
  const suggestions = suggest(commands, input.words)
  const lines = suggestions.map(([word, about]) => `${word}\t${about}\n`)
  if (lines.length > 0) await output.write(lines.join(''))
}

async function help({ commands, input, output }: CommandContext) {
  const words = input.argument('command')?.split(' ') ?? []
  if (words.length === 0) return output.print(formatOverview(commands, output.width))
  const { command } = findCommandByWords(commands, words)
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `))
  if (command) return output.print(formatCommandPage(command, output.width))
  if (group.length > 0) {
    const pages = group.map((one) => formatCommandPage(one, output.width))
    return output.print(pages.join('\n\n'))
  }
  throw new CommandUsageError(`There is no command ${words.join(' ')}. See docket help.`)
}

/** Help and completion of all commands. */
export const SELF_COMMANDS: readonly CommandDefinition[] = [
  {
    name: 'completion',
    summary: 'Print the completion of a shell',
    details:
      'bash: add eval "$(docket completion bash)" to ~/.bashrc. zsh: add eval "$(docket completion zsh)" to ~/.zshrc, after compinit. fish: docket completion fish > ~/.config/fish/completions/docket.fish.',
    args: [{ name: 'shell', about: 'The shell', values: Object.keys(SCRIPTS) }],
    run: ({ input, output }) => output.print(SCRIPTS[input.requiredArgument('shell')] ?? ''),
  },
  {
    name: 'complete',
    summary: 'Print the words that may come next',
    args: [{ name: 'words', about: 'The words so far', isOptional: true, isRest: true }],
    isHidden: true,
    run: complete,
  },
  {
    name: 'help',
    summary: 'Explain a command',
    args: [{ name: 'command', about: 'Its name', isOptional: true, isRest: true }],
    isLong: true,
    run: help,
  },
]
