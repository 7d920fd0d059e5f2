import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { until } from '../support/delivering.ts'
import { emptyDir } from '../support/dir.ts'
import { CLI, SURROUNDINGS } from './run.ts'

type Env = Record<string, string>

/** A computer on which nobody is signed in: it knows where Docket is, and has none of its data. */
export function newComputer(url: string): { env: Env; file: string } {
  const home = emptyDir()
  const env = { XDG_CONFIG_HOME: home, DOCKET_BASE_URL: url, DOCKET_DATA_DIR: join(home, 'none') }
  return { env, file: join(home, 'docket', 'credentials.json') }
}

/** Begins to sign in there, and waits until the command has told which address to open. */
export async function begun(t: { after(undo: () => void): void }, env: Env, ...words: string[]) {
  const child = spawn(process.execPath, [CLI, 'login', ...words], {
    env: { ...SURROUNDINGS, ...env },
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
  await until('the address', () => /^http.*\n\n$/m.test(stderr) || child.exitCode !== null)
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
