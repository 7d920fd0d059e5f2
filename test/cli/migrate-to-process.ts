import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { waitUntil } from '../support/system/wait-until.ts'
import { CLI_ENTRY } from './run-cli.ts'
import { runHostedCli } from './run-hosted-cli.ts'

const migrate = (env: Record<string, string>, target: string) =>
  runHostedCli(env, 'migrate-to', target, '--json')

/** Runs a migration that fails, and returns its error. */
export const readMigrationError = async (env: Record<string, string>, target: string) => {
  const { code, stderr } = await migrate(env, target)
  assert.equal(code, 1, stderr)
  assert.doesNotMatch(stderr, /:password@/)
  // A migration that takes longer than a second writes its progress before the error.
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error as {
    code: string
    message: string
  }
}

/** Starts a migration, and kills it when `isTime` is true. */
export async function killMigration(
  env: Record<string, string>,
  target: string,
  isTime: () => Promise<boolean>,
) {
  const child = spawn(process.execPath, [CLI_ENTRY, 'migrate-to', target], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await waitUntil('the time to kill', isTime)
  child.kill('SIGKILL')
  await ended
  assert.equal(child.signalCode, 'SIGKILL', 'it was in the middle')
}
