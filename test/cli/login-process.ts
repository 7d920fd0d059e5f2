import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createTempDir } from '../support/system/temp-dir.ts'
import { waitUntil } from '../support/system/wait-until.ts'
import { BASE_ENV, CLI_ENTRY, type CliEnv } from './run-cli.ts'

/** The environment of another machine: it has the address of Docket, but no data and no sign-in. */
export function newClientMachine(url: string): { env: CliEnv; file: string } {
  const team = createTempDir()
  const env = { XDG_CONFIG_HOME: team, DOCKET_BASE_URL: url, DOCKET_DATA_DIR: join(team, 'none') }
  return { env, file: join(team, 'docket', 'credentials.json') }
}

/** Starts `docket login` and waits until it has printed the address to open. */
export async function startLogin(
  t: { after(undo: () => void): void },
  env: CliEnv,
  ...words: string[]
) {
  const child = spawn(process.execPath, [CLI_ENTRY, 'login', ...words], {
    env: { ...BASE_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const closed = once(child, 'close')
  await waitUntil('the address', () => /^http.*\n\n$/m.test(stderr) || child.exitCode !== null)
  const address = /^http\S+$/m.exec(stderr)?.[0] ?? ''
  assert.ok(address, stderr)
  return {
    address,
    redirect_uri: new URL(address).searchParams.get('redirect_uri') ?? '',
    async end() {
      const [code] = await closed
      return { code: code as number, stdout, stderr }
    },
  }
}
