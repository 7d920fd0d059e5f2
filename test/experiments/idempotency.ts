import type { Storage } from '#core/tx.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { Home } from '../support/home.ts'
import { eventsOf } from '../support/scenario.ts'
import { call, type Replied, type Server } from './world/call.ts'
import { through } from './world/doctored.ts'

/** One who sends a request under a key, as whom, and with which title. */
export interface Racer {
  key: string
  title: string
}

let serial = 0

/** Lets racers create a task at once under the same Idempotency-Key; gives what each was answered. */
export async function race(
  server: Server,
  project_id: string,
  racers: readonly Racer[],
): Promise<Replied[]> {
  serial += 1
  const headers = { 'idempotency-key': `race-${serial}` }
  return Promise.all(
    racers.map(({ key, title }) =>
      call(server, key, {
        method: 'POST',
        url: '/api/v1/tasks',
        body: { project_id, title },
        headers,
      }),
    ),
  )
}

/** What is wrong where all have sent the same: more than one effect, or other bytes for some. */
export async function faultsOfRace(
  { storage, server }: { storage: Storage; server: Server },
  home: Home,
  racers: number,
): Promise<string[]> {
  const before = (await eventsOf(storage, home.workspace)).length
  const same = Array.from({ length: racers }, () => ({ key: home.keys.owner, title: 'Once' }))
  const replies = await race(server, home.project, same)
  const events = (await eventsOf(storage, home.workspace)).length - before
  const bodies = new Set(replies.map(essence))
  const first = replies.filter(({ headers }) => headers['idempotency-replayed'] === undefined)
  return [
    ...(events === 1 ? [] : [`${events} events`]),
    ...(bodies.size === 1 ? [] : [`${bodies.size} replies`]),
    ...(first.length === 1 ? [] : [`${first.length} were not replayed`]),
    ...replies
      .filter(({ status }) => status !== 201)
      .map(({ status, text }) => `${status} ${text}`),
  ]
}

/** What a replay gives again, byte by byte (contract 1.9). */
export const essence = ({ status, headers, text }: Replied): string =>
  JSON.stringify([status, headers.location, headers.etag, headers['x-operation-id'], text])

/** A store that looks a key up before the write has its turn, and keeps the reply if there is none yet. */
export function checkingFirst(storage: Storage): Storage {
  return {
    ...storage,
    async write(actor, work) {
      const kept = await storage.read(actor, (tx) => tx.all(keptReplies, {}))
      const blind = through(storage, ({ sql, values }) => ({
        sql: /^select .* from "replies"/.test(sql)
          ? `${sql} and ${kept.length} > 0`
          : sql.replace(/^insert into "replies" .*/, '$& on conflict do nothing'),
        values,
      }))
      return blind.write(actor, work)
    },
  }
}

const keptReplies = query((db, $: Scoped) =>
  db.selectFrom('replies').select('key').where('workspace_id', '=', $.workspace_id),
)
