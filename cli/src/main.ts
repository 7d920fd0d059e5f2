#!/usr/bin/env node
import cliPackage from '../package.json' with { type: 'json' }
import {
  type CommandDefinition,
  type CommandInput,
  findCommandByWords,
  formatCommandPage,
  formatOverview,
  parseInput,
} from './command.ts'
import { COMMANDS } from './commands.ts'
import { connect } from './config.ts'
import { CommandUsageError, describeFailure, EXIT_CODES } from './failures.ts'
import { clean, DEFAULT_WIDTH, endQuietly, formatJson, Output } from './output.ts'

process.stdout.on('error', endQuietly)
process.stderr.on('error', endQuietly)
process.exitCode = await main(process.argv.slice(2))

/** Runs a command line and returns its exit code. */
async function main(words: readonly string[]): Promise<number> {
  // An unknown command, too, has its error in the form that was asked for.
  const isJson = words.includes('--json')
  try {
    return await run(words, isJson)
  } catch (error) {
    const failure = describeFailure(error)
    if (!failure) {
      // A defect, whose message may have a text of the server all the same.
      process.stderr.write(
        `${clean(error instanceof Error ? (error.stack ?? '') : String(error))}\n`,
      )
      return EXIT_CODES.failed
    }
    const { message, status = 0, details = [], request_id } = failure.error
    const reasons = details.slice(1).map((detail) => `\n  ${detail.field}: ${detail.message}`)
    // It finds a defect of the server in its logs.
    const id = status >= 500 && request_id ? `\n  (${request_id})` : ''
    const text = clean(`docket: ${message}${reasons.join('')}${id}`)
    process.stderr.write(`${isJson ? formatJson({ error: failure.error }) : text}\n`)
    return failure.exitCode
  }
}

async function run(words: readonly string[], isJson: boolean): Promise<number> {
  if (words.length === 1 && (words[0] === '-v' || words[0] === '--version')) {
    process.stdout.write(`docket ${cliPackage.version}\n`)
    return 0
  }
  const { command, rest = [], name = [] } = findCommandByWords(COMMANDS, words)
  if (command) {
    await runCommand(command, parseInput(command, rest), isJson)
    return 0
  }
  const asksForHelp = words.includes('--help') || words.includes('-h')
  if (name.length === 0 || asksForHelp) {
    const stream = asksForHelp ? process.stdout : process.stderr
    stream.write(`${formatOverview(COMMANDS, process.stdout.columns || DEFAULT_WIDTH)}\n`)
    return asksForHelp ? 0 : EXIT_CODES.usage
  }
  const group = COMMANDS.filter((one) => one.name.startsWith(`${name[0]} `))
  const names = group.map((one) => one.name).join(', ')
  const hint = names ? `There are ${names}.` : 'See docket help.'
  throw new CommandUsageError(`There is no command ${name.join(' ')}. ${hint}`)
}

async function runCommand(command: CommandDefinition, input: CommandInput, isJson: boolean) {
  const { isLong = false, isWrite = false } = command
  const output = new Output({ isJson, color: input.text('color'), isLong })
  const profile = input.text('profile')
  if (input.flag('help')) return output.print(formatCommandPage(command, output.width))
  try {
    await command.run({
      commands: COMMANDS,
      input,
      output,
      isDryRun: isWrite && input.flag('dry-run'),
      profile,
      connect: ({ maxRetries } = {}) => connect(profile, maxRetries),
    })
  } finally {
    await output.end()
  }
}
