import assert from 'node:assert/strict'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Docket, getMe } from '../../sdk/src/index.ts'
import { createTokenSource, type OAuthApplication } from '../../sdk/src/oauth.ts'
import { createFileStore } from '../../sdk/src/oauth-node.ts'

/** What a process of an application does with the file of a grant. */
export type OAuthProcessTask = { file: string } & (
  | { does: 'refresh'; application: OAuthApplication; times: number }
  /**
   * Locks the file this often for `forMs`, or until this process is continued if that is 0, and writes
   * the beginning and the end of each to `log`.
   */
  | { does: 'lock'; log: string; times: number; forMs: number }
)

const task: OAuthProcessTask = JSON.parse(process.argv[2] ?? '')
const store = createFileStore(task.file)

/** Resolves at a SIGCONT. */
async function untilContinued(): Promise<void> {
  // To listen for a signal alone keeps no process alive.
  const alive = setInterval(() => {}, 1e9)
  await once(process, 'SIGCONT')
  clearInterval(alive)
}

switch (task.does) {
  case 'refresh': {
    let refreshes = 0
    const counting: typeof fetch = (input, init) => {
      refreshes += 1
      return fetch(input, init)
    }
    const loadToken = createTokenSource({ ...task.application, fetch: counting }, store)
    let token = await loadToken()
    while (refreshes < task.times) {
      const next = await loadToken(token)
      assert.notEqual(next, token)
      token = next
      await getMe(new Docket({ baseUrl: task.application.baseUrl, token }))
    }
    console.log(refreshes)
    break
  }
  case 'lock':
    for (let at = 0; at < task.times; at += 1) {
      await store.withLock(async () => {
        // Begun first, since the signal may come as soon as the parent has read the line.
        const end = task.forMs === 0 ? untilContinued() : pause(task.forMs)
        appendFileSync(task.log, `+${process.pid}\n`)
        await end
        appendFileSync(task.log, `-${process.pid}\n`)
      })
    }
}
