import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { getPostgresBinaries, POSTGRES_ENV } from './postgres-binaries.ts'

const START_TIMEOUT_MS = 60_000

/** The data directory and the log file of a PostgreSQL server. */
export const dataDirOf = (directory: string) => join(directory, 'data')
export const logFileOf = (directory: string) => join(directory, 'log')

/** Starts PostgreSQL on the data below `directory`; resolves once it accepts connections. */
export async function startPostmaster(
  directory: string,
  port: number,
  settings: readonly string[] = [],
): Promise<ChildProcess> {
  const { postgres, user } = getPostgresBinaries()
  const flags = ['unix_socket_directories=', ...settings].flatMap((setting) => ['-c', setting])
  // Shared memory of a killed server prevents the start until its last process has ended.
  for (const end = performance.now() + START_TIMEOUT_MS; performance.now() < end; await pause(50)) {
    const log = openSync(logFileOf(directory), 'w')
    const child = spawn(postgres, ['-D', dataDirOf(directory), '-p', String(port), ...flags], {
      ...user,
      cwd: directory,
      env: POSTGRES_ENV,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    while (child.exitCode === null && performance.now() < end) {
      if (isReady(directory, child.pid)) return child
      await pause(10)
    }
    await endChildProcess(child, 'SIGKILL')
  }
  throw new Error(`PostgreSQL does not start:\n${readFileSync(logFileOf(directory), 'utf8')}`)
}

/** PostgreSQL writes its state into postmaster.pid, for pg_ctl. */
function isReady(directory: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(dataDirOf(directory), 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

/** Sends a signal and waits until the process ends; does nothing if it has ended already. */
export async function endChildProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** SIGCONT wakes a server stopped by SIGSTOP. PostgreSQL kills slow children after 5 seconds. */
const WATCH_SCRIPT = `cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT "$pid" && kill -CONT "$pid"
while kill -0 "$pid"; do sleep 0.02; done
rm -rf "$@"`

/**
 * Starts a shell that ends PostgreSQL and deletes the directories when this process ends, even by
 * SIGKILL: its standard input closes then. The returned function does the same on demand.
 */
export function removeOnExit(...directories: string[]): () => Promise<void> {
  const watch = spawn('sh', ['-c', WATCH_SCRIPT, 'sh', ...directories], {
    // Detached, so that Ctrl+C in the terminal does not reach it.
    ...{ detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  })
  watch.unref()
  return async () => {
    const exit = once(watch, 'exit')
    watch.ref()
    watch.stdin.end()
    await exit
  }
}
