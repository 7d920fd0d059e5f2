import type { FastifyInstance } from 'fastify'
import { publicRoutes as routes } from '#server/routes.ts'
import { callApi, callApiForJson } from './call-api.ts'
import { buildApiCall } from './endpoint-requests.ts'

/** Ids by the segment before `:id` in a path. `users` are people. */
export type SampleRecords = Record<string, string>

const isServed = (name: string) =>
  routes.some(({ endpoint }) => `${endpoint.method} ${endpoint.path}` === name)

/**
 * Creates a record of every kind in a project, and a second one of each kind that has a list. Every
 * text contains the mark. Webhooks and deliveries are created only if the key allows it
 * (`isManager`).
 */
export async function createSampleRecords(
  server: FastifyInstance,
  key: string,
  project: string,
  mark: string,
  isManager: boolean,
): Promise<SampleRecords> {
  const post = (url: string, body: object) =>
    callApiForJson(server, key, { method: 'POST', url, body })
  const texts = { title: `Task ${mark}`, description: mark, custom_fields: { mark } }
  const task = await callApiForJson<{ id: string; short_id: string }>(server, key, {
    method: 'POST',
    url: '/api/v1/tasks',
    body: { project_id: project, ...texts, metadata: { mark } },
  })
  const at = `/api/v1/tasks/${task.id}`
  const external = { external_source: 'canary', external_id: `${mark} ${task.short_id}` }
  await callApiForJson(server, key, { method: 'PATCH', url: at, body: external })
  await callApiForJson(server, key, { method: 'PATCH', url: at, body: { estimate_seconds: 60 } })
  const newest = { method: 'GET', url: '/api/v1/operations?limit=1' }
  const { data } = await callApiForJson<{ data: { id: string }[] }>(server, key, newest)
  const createTwo = async (make: () => Promise<{ id: string }>) => {
    await make()
    return (await make()).id
  }
  const records: SampleRecords = {
    projects: project,
    tasks: task.id,
    operations: data[0]?.id ?? '',
    comments: await createTwo(() => post(`${at}/comments`, { body: mark })),
    'time-entries': await createTwo(() =>
      post(`${at}/time-entries`, { duration_seconds: 60, note: mark }),
    ),
  }
  const asked = await callApi(server, key, { method: 'GET', url: at })
  records.requests = String(asked.headers['x-request-id'])
  const name = `${mark.slice(-30)} ${task.short_id}`
  const tag = await callApi(server, key, {
    method: 'POST',
    url: `/api/v1/projects/${project}/tags`,
    body: { name },
  })
  if (tag.status === 201) records.tags = JSON.parse(tag.text).id
  if (isServed('POST /api/v1/tasks/:id/attachments')) {
    const url = `${at}/attachments?filename=${encodeURIComponent(`${mark}.txt`)}`
    const headers = { 'content-type': 'text/plain' }
    const upload = { method: 'POST', url, body: mark, headers }
    records.attachments = await createTwo(() => callApiForJson(server, key, upload))
  }
  // Kinds that need no texts of their own.
  for (const { endpoint } of routes) {
    const kind = /^\/api\/v1\/projects\/:id\/([a-z-]+)$/.exec(endpoint.path)?.[1]
    if (endpoint.method !== 'POST' || kind === undefined || kind in records) continue
    const reply = await callApi(server, key, buildApiCall(endpoint, records))
    if (reply.status === 201) records[kind] = JSON.parse(reply.text).id
  }
  if (isManager) {
    const url = `https://example.com/${encodeURIComponent(mark)}`
    const webhook = { url, events: ['*'], description: mark, secret: `${mark} secret` }
    records.webhooks = (await post('/api/v1/webhooks', webhook)).id
    records.deliveries = await createTwo(() =>
      post(`/api/v1/webhooks/${records.webhooks}/test`, {}),
    )
    const delivery = { method: 'GET', url: `/api/v1/deliveries/${records.deliveries}` }
    records.events = (await callApiForJson<{ event_id: string }>(server, key, delivery)).event_id
  }
  return records
}
