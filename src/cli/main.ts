import { Refusal } from '#core/refusal.ts'
import { type Config, configFrom, Misconfigured } from '../config.ts'
import { appCommands } from './app.ts'
import { archiveCommands } from './archive.ts'
import { commandIn, optionsOf, WrongUsage } from './arguments.ts'
import { auditCommands } from './audit.ts'
import { backupCommands } from './backup.ts'
import type { Command, Tell } from './command.ts'
import { doctorCommands } from './doctor.ts'
import { installationOf } from './installation.ts'
import { keyCommands } from './key.ts'
import { loginCommands } from './login.ts'
import { memberCommands } from './member.ts'
import { moveCommands } from './move.ts'
import { partitionCommands } from './partition.ts'
import { projectCommands } from './project.ts'
import { serverCommands } from './server.ts'
import { shown } from './show.ts'
import { usageOf } from './usage.ts'
import { userCommands } from './user.ts'
import { webhookCommands } from './webhook.ts'
import { workspaceCommands } from './workspace.ts'

/** Refused; wrong usage; sysexits.h: the configuration is wrong. */
const [REFUSED, USAGE, EX_CONFIG] = [1, 2, 78]

const COMMANDS: readonly Command[] = [
  ...workspaceCommands,
  ...projectCommands,
  ...memberCommands,
  ...keyCommands,
  ...appCommands,
  ...userCommands,
  ...webhookCommands,
  ...loginCommands,
  ...serverCommands,
  ...backupCommands,
  ...auditCommands,
  ...moveCommands,
  ...archiveCommands,
  ...doctorCommands,
  ...partitionCommands,
]

process.exitCode = await main(process.argv.slice(2))

/** Runs a command line; gives the exit code (contract 10.3). */
async function main(words: readonly string[]): Promise<number> {
  const asJson = words.includes('--json')
  const rest = words.filter((word) => word !== '--json')
  try {
    if (words.includes('--help') || words.length === 0) return help(rest)
    const { command, rest: options } = commandIn(COMMANDS, rest)
    const tell: Tell = (told, text) => console.log(asJson ? JSON.stringify(told) : text)
    const result = await run(command, optionsOf(command, options), tell)
    if (!result) return 0
    tell(result, command.text?.(result) ?? shown(result))
    return command.failed?.(result) ? REFUSED : 0
  } catch (error) {
    return tell(error)
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

function help(words: readonly string[]): number {
  const asked = words.filter((word) => word !== '--help')
  const named = asked.length > 0 ? commandIn(COMMANDS, asked).command : undefined
  console.log(usageOf(COMMANDS, named))
  return words.includes('--help') ? 0 : USAGE
}

function tell(error: unknown): number {
  if (error instanceof WrongUsage) {
    console.error(`${error.message}\n\n${usageOf(COMMANDS, error.command)}`)
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
