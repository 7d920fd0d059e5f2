import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { POSTGRES_ENV, postgresProgram } from './postgres-program.ts'

const START_MS = 60_000

/** Where a PostgreSQL keeps its data, and where its log is. */
export const dataIn = (home: string) => join(home, 'data')
export const logIn = (home: string) => join(home, 'log')

/** Starts PostgreSQL on the data below `home`, and ends when it takes connections. */
export async function startPostmaster(
  home: string,
  port: number,
  settings: readonly string[] = [],
): Promise<ChildProcess> {
  const { postgres, user } = postgresProgram()
  const flags = ['unix_socket_directories=', ...settings].flatMap((setting) => ['-c', setting])
  // What a killed one has left in memory is in the way until its last process has gone.
  for (const end = performance.now() + START_MS; performance.now() < end; await pause(50)) {
    const log = openSync(logIn(home), 'w')
    const child = spawn(postgres, ['-D', dataIn(home), '-p', String(port), ...flags], {
      ...{ ...user, cwd: home, env: POSTGRES_ENV, stdio: ['ignore', log, log] },
    })
    closeSync(log)
    while (child.exitCode === null && performance.now() < end) {
      if (isReady(home, child.pid)) return child
      await pause(10)
    }
    await ended(child, 'SIGKILL')
  }
  throw new Error(`PostgreSQL does not start:\n${readFileSync(logIn(home), 'utf8')}`)
}

/** It writes there itself how far it is, for pg_ctl. */
function isReady(home: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(dataIn(home), 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

/** Sends a signal to it, and waits for its end; there is nothing to do where it has ended. */
export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

/** A server that is stopped by SIGSTOP is woken to end; whatever it does not end itself it kills after 5 seconds. */
const WATCH = `cat > /dev/null
pid=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT "$pid" && kill -CONT "$pid"
while kill -0 "$pid"; do sleep 0.02; done
rm -rf "$@"`

/**
 * Waits beside PostgreSQL for the end of this process, even one by SIGKILL, or for the given function,
 * and then ends PostgreSQL and takes the directories away.
 */
export function watched(...directories: string[]): () => Promise<void> {
  const watch = spawn('sh', ['-c', WATCH, 'sh', ...directories], {
    // A signal from the terminal to all its processes is not for this one.
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
