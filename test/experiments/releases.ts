import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onPostgres } from '../../bench/own-postgres.ts'
import { emptyDir } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { end, type Running, SECRET, start } from '../support/process.ts'
import { contentOf } from '../support/saved.ts'
import { BALANCED, balanced } from './balanced.ts'

/**
 * E25 with a release as it was: `node test/experiments/releases.ts --full <revision>`. Two servers of it
 * are replaced one after the other under load, and where it bears the schema it is started once more.
 */
const ROOT = join(import.meta.dirname, '../..')
const CLIENTS = 16

/** The code of a revision, in a directory of its own. */
function checkedOut(revision: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'docket-release-'))
  const packed = execFileSync('git', ['archive', '--format=tar', revision], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', dir], { input: packed })
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

/** A workspace as that release makes it. */
function settledBy(dir: string, env: Record<string, string>): Home {
  const script = `import { settle } from './test/support/process.ts'
    console.log(JSON.stringify(await settle(${JSON.stringify(emptyDir())}, ${JSON.stringify(env)})))`
  const asked = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, asked, { cwd: dir, encoding: 'utf8' })) as Home
}

async function upgraded(url: string, revision: string) {
  const dir = checkedOut(revision)
  const env = { DOCKET_DATABASE_URL: url, DOCKET_LOG_LEVEL: 'warn', ...BALANCED }
  const before = { env, entry: join(relative(ROOT, dir), 'src/main.ts') }
  const running: Running[] = []
  try {
    const home = settledBy(dir, env)
    for (const _ of [1, 2]) running.push(await start(emptyDir(), before))
    const ports = running.map(({ port }) => port)
    const load = balanced(ports, home, CLIENTS)
    const said: string[] = []
    const turn = async (at: number, release: { env: typeof env; entry?: string }) => {
      const server = running[at]
      if (!server) return
      await end(server, 'SIGTERM')
      running[at] = await start(emptyDir(), { ...release, port: server.port })
      await pause(2_000)
      said.push(running[at].said())
    }
    await pause(2_000)
    await turn(0, { env })
    const back = await turn(1, before).catch((error: Error) => error.message)
    await turn(1, { env })
    await load.stop()
    const place = { ...env, DOCKET_DATA_DIR: emptyDir(), DOCKET_SECRET: SECRET }
    const there = new Set((await contentOf(place, home)).tasks)
    const lost = load.acked.filter((id) => !there.has(id))
    return { acked: load.acked.length, failed: load.failed, lost, back, said }
  } finally {
    for (const server of running) await end(server, 'SIGKILL')
    rmSync(dir, { recursive: true, force: true })
  }
}

if (process.argv.includes('--full')) {
  const revision = process.argv.at(-1) ?? ''
  await onPostgres(async (url) => {
    const outcome = await upgraded(url, revision)
    console.log(outcome)
    process.exitCode = outcome.failed.size + outcome.lost.length > 0 ? 1 : 0
  })
}
