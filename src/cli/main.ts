import { Refusal } from '#core/refusal.ts'
import { type Config, configFrom, Misconfigured } from '../config.ts'
import { commandIn, optionsOf, WrongUsage } from './arguments.ts'
import type { Command, Tell } from './command.ts'
import { allCommands, commandsFor } from './commands.ts'
import { installationOf } from './installation.ts'
import { shown } from './show.ts'
import { helpOf, usageOf } from './usage.ts'

/** Refused; wrong usage; sysexits.h: the configuration is wrong. */
const [REFUSED, USAGE, EX_CONFIG] = [1, 2, 78]

process.exitCode = await main(process.argv.slice(2))

/** Runs a command line; gives the exit code (contract 10.3). */
async function main(words: readonly string[]): Promise<number> {
  const asJson = words.includes('--json')
  const rest = words.filter((word) => word !== '--json')
  try {
    if (words.includes('--help') || words.length === 0) return await help(rest)
    const { command, rest: options } = commandIn(await commandsFor(rest), rest)
    const tell: Tell = (told, text) => console.log(asJson ? JSON.stringify(told) : text)
    const result = await run(command, optionsOf(command, options), tell)
    if (!result) return 0
    tell(result, command.text?.(result) ?? shown(result))
    return command.failed?.(result) ? REFUSED : 0
  } catch (error) {
    return await tell(error)
  }
}

async function run(command: Command, given: unknown, tell: Tell): Promise<object | undefined> {
  let config: Config
  try {
    config = configFrom(process.env)
  } catch (error) {
    if (!(error instanceof Misconfigured) || !command.misconfigured) throw error
    return command.misconfigured(error.mistakes)
  }
  const installation = installationOf(config)
  try {
    return await command.run(installation, given, tell)
  } finally {
    await installation.close()
  }
}

async function help(words: readonly string[]): Promise<number> {
  const asked = words.filter((word) => word !== '--help')
  const named = asked.length > 0 ? commandIn(await commandsFor(asked), asked).command : undefined
  console.log(await usage(named))
  return words.includes('--help') ? 0 : USAGE
}

async function usage(named?: Command): Promise<string> {
  return named ? helpOf(named) : usageOf(await allCommands())
}

async function tell(error: unknown): Promise<number> {
  if (error instanceof WrongUsage) {
    console.error(`${error.message}\n\n${await usage(error.command)}`)
    return USAGE
  }
  if (error instanceof Misconfigured) {
    for (const mistake of error.mistakes) console.error(mistake)
    return EX_CONFIG
  }
  const message = error instanceof Error ? error.message : String(error)
  const code = error instanceof Refusal ? error.code : 'internal_error'
  console.error(JSON.stringify({ error: { code, message } }))
  return REFUSED
}
