import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ClosedLoopOptions, ClosedLoopResult } from './closed-loop-client.ts'

/** Sends as many requests as are answered, from a separate process. */
export async function runClosedLoop(wanted: ClosedLoopOptions): Promise<ClosedLoopResult> {
  const child = fork(new URL('closed-loop-client.ts', import.meta.url))
  child.send(wanted)
  const [done] = (await once(child, 'message')) as [ClosedLoopResult]
  return done
}
