import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from './port.ts'

/** A real PgBouncer of the system, in transaction mode. */
export interface Pooler {
  /** The address by which a database is reached through it. */
  urlOf(url: string): string
  stop(): Promise<void>
}

/** The program of this machine; undefined where there is none: npm has no package of it. */
export const pgbouncerProgram = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

/** What docs/postgresql.md tells operators to set, as lines of pgbouncer.ini. */
const AS_DOCUMENTED = `pool_mode = transaction
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout`

/** Puts one before a server, with so few connections that they change hands all the time. */
export async function startPgbouncer(
  program: string,
  server: string,
  settings = AS_DOCUMENTED,
): Promise<Pooler> {
  const { hostname, port: at, username, password } = new URL(server)
  const home = mkdtempSync(join(tmpdir(), 'docket-pgbouncer-'))
  chmodSync(home, 0o755) // It refuses to run as root, and nobody has to read the settings.
  const port = await freePort()
  const ini = join(home, 'pgbouncer.ini')
  const through = `host=${hostname} port=${at} user=${username} password=${password}`
  writeFileSync(
    ini,
    `[databases]
* = ${through}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
default_pool_size = 4
max_client_conn = 200
${settings}
`,
  )
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...asNobody, ini], { stdio: 'ignore' })
  const hurry = () => child.kill('SIGKILL')
  process.once('exit', hurry)
  for (const end = performance.now() + 60_000; !(await takesConnections(port)); await pause(20)) {
    if (performance.now() > end || child.exitCode !== null) throw new Error('PgBouncer is not up')
  }
  return {
    urlOf(url) {
      const through = new URL(url)
      through.port = String(port)
      return through.href
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      process.off('exit', hurry)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
