import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findFreePort } from '../system/free-port.ts'
import { tcpUrlOf } from './embedded-postgres.ts'

/** A real PgBouncer, installed on the system, in transaction mode. */
export interface Pgbouncer {
  /** Rewrites the URL of a database so that it goes through PgBouncer. */
  urlOf(url: string): string
  stop(): Promise<void>
}

/** The installed program; undefined if there is none, because npm has no package of it. */
export const pgbouncerProgram = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})

/** The settings that docs/postgresql.md recommends, as lines of pgbouncer.ini. */
const DOCUMENTED_SETTINGS = `pool_mode = transaction
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout`

/** Starts one in front of a server, with so few connections that clients constantly swap them. */
export async function startPgbouncer(
  program: string,
  server: string,
  settings = DOCUMENTED_SETTINGS,
): Promise<Pgbouncer> {
  const { hostname, port: at, username, password } = tcpUrlOf(server)
  const directory = mkdtempSync(join(tmpdir(), 'docket-pgbouncer-'))
  chmodSync(directory, 0o755) // PgBouncer does not run as root: the user nobody must read its settings.
  const port = await findFreePort()
  const ini = join(directory, 'pgbouncer.ini')
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
admin_users = ${username}
default_pool_size = 4
max_client_conn = 200
${settings}
`,
  )
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...asNobody, ini], { stdio: 'ignore' })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  for (const end = performance.now() + 60_000; !(await takesConnections(port)); await pause(20)) {
    if (performance.now() > end || child.exitCode !== null) throw new Error('PgBouncer is not up')
  }
  return {
    urlOf(url) {
      const through = tcpUrlOf(url)
      through.port = String(port)
      return through.href
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
      process.off('exit', killAtExit)
      rmSync(directory, { recursive: true, force: true })
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
