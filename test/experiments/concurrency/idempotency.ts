import type { Storage } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { readEvents } from '../../support/scenario/scenario.ts'
import type { TestWorkspace } from '../../support/world/test-workspace.ts'
import { type ApiReply, callApi, type InjectableServer } from '../shared/call-api.ts'
import { rewriteStatements } from '../shared/rewrite-statements.ts'

/** One of several concurrent requests: its credential and its title. */
export interface RacingRequest {
  key: string
  title: string
}

let serial = 0

/** Creates a task concurrently with the same Idempotency-Key, and returns all replies. */
export async function raceUnderOneKey(
  server: InjectableServer,
  project_id: string,
  racers: readonly RacingRequest[],
): Promise<ApiReply[]> {
  serial += 1
  const headers = { 'idempotency-key': `race-${serial}` }
  return Promise.all(
    racers.map(({ key, title }) =>
      callApi(server, key, {
        method: 'POST',
        url: '/api/v1/tasks',
        body: { project_id, title },
        headers,
      }),
    ),
  )
}

/** Sends identical requests concurrently, and finds more than one effect or different replies. */
export async function findRaceFaults(
  { storage, server }: { storage: Storage; server: InjectableServer },
  team: TestWorkspace,
  racers: number,
): Promise<string[]> {
  const before = (await readEvents(storage, team.workspace)).length
  const same = Array.from({ length: racers }, () => ({ key: team.keys.owner, title: 'Once' }))
  const replies = await raceUnderOneKey(server, team.project, same)
  const events = (await readEvents(storage, team.workspace)).length - before
  const bodies = new Set(replies.map(serializeReplay))
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

/** The part of a reply that a replay must repeat exactly (docs/spec/api.md#idempotency-key). */
export const serializeReplay = ({ status, headers, text }: ApiReply): string =>
  JSON.stringify([status, headers.location, headers.etag, headers['x-operation-id'], text])

/**
 * For the control: a store that looks up the key before the write transaction begins. The first
 * request waits for the lookup of a second one, because otherwise it might have written before.
 */
export function lookUpKeyBeforeWrite(storage: Storage): Storage {
  const secondLookup = Promise.withResolvers<void>()
  let lookups = 0
  return {
    ...storage,
    async write(actor, work) {
      // The start of the server is alone.
      if (actor.workspace_id === '') return storage.write(actor, work)
      const storedReplies = await storage.read(actor, (tx) => tx.all(storedReplyKeys, {}))
      lookups += 1
      if (lookups === 2) secondLookup.resolve()
      await secondLookup.promise
      const withoutCheck = rewriteStatements(storage, ({ sql, values }) => ({
        sql: /^select .* from "replies"/.test(sql)
          ? `${sql} and ${storedReplies.length} > 0`
          : sql.replace(/^insert into "replies" .*/, '$& on conflict do nothing'),
        values,
      }))
      return withoutCheck.write(actor, work)
    },
  }
}

const storedReplyKeys = query((db, $: Scoped) =>
  db.selectFrom('replies').select('key').where('workspace_id', '=', $.workspace_id),
)
