import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { afterRun } from '../support/runner/cleanup.ts'
import { NODE_ARGS } from '../support/server/server-process.ts'
import {
  BASE_ENV,
  CLI_ENTRY,
  type CliEnv,
  type CliResult,
  parseJsonOutput,
  runCli,
} from './run-cli.ts'

/** A command that `cli-host.ts` is to run. */
export interface HostedCommand {
  entry: string
  env: Record<string, string>
  cwd: string
  words: readonly string[]
}

let host: ChildProcess | undefined
let isBusy = false

/**
 * Runs a command like `runCli`, in a process that runs the commands of many tests, because starting
 * one takes ten times as long as most commands. For tests of what a command does: how a process
 * ends, which streams it reads and which signals it obeys needs a process of its own.
 */
export async function runHostedCli(env: CliEnv, ...words: string[]): Promise<CliResult> {
  const settings = { ...BASE_ENV, ...env }
  const command = { entry: resolve(CLI_ENTRY), env: settings, cwd: process.cwd(), words }
  return (await runInHost(command)) ?? runCli(env, ...words)
}

/**
 * Runs a command in the process for commands; undefined if it runs another one, since commands share
 * its environment. What a command reads from standard input is at its end.
 */
export async function runInHost(command: HostedCommand): Promise<CliResult | undefined> {
  if (isBusy) return undefined
  isBusy = true
  try {
    host ??= startHost()
    host.send(command)
    const [result] = await once(host, 'message')
    return result
  } finally {
    isBusy = false
  }
}

/** Runs a command with --json and returns the object it prints; fails unless it exits with 0. */
export async function runHostedCliJson<T = Record<string, string>>(
  env: CliEnv,
  ...words: string[]
): Promise<T> {
  return parseJsonOutput(words, await runHostedCli(env, ...words, '--json'))
}

function startHost(): ChildProcess {
  const started = fork(join(import.meta.dirname, 'cli-host.ts'), {
    env: BASE_ENV,
    execArgv: NODE_ARGS,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(started, 'exit').then(() => {
    // The command that waits for its result fails.
    if (host === started) started.emit('error', new Error('The process for commands has ended'))
  })
  afterRun(() => {
    host = undefined
    started.disconnect()
    return ended
  })
  return started
}
