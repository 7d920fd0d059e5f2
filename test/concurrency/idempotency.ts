import type { Storage } from '#core/transaction.ts'
import { type ApiReply, callApi, type InjectableServer } from '../support/api/call-api.ts'
import { readEvents } from '../support/scenario/scenario.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'

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
