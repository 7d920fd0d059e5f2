import type { FastifyInstance } from 'fastify'
import { published as routes } from '../../../src/app.ts'
import { call, made } from './call.ts'

/** Ids by what stands before `:id` in a path; `users` are people. */
export type Records = Record<string, string>

const served = (name: string) =>
  routes.some(({ endpoint }) => `${endpoint.method} ${endpoint.path}` === name)

/**
 * A record of every kind in a project, and another beside what has a list, made by one person, with a mark in every text that a person
 * can write. Webhooks and deliveries are made only where the key may.
 */
export async function newRecords(
  server: FastifyInstance,
  key: string,
  project: string,
  mark: string,
  managing: boolean,
): Promise<Records> {
  const post = (url: string, body: object) => made(server, key, { method: 'POST', url, body })
  const texts = { title: `Task ${mark}`, description: mark, custom_fields: { mark } }
  const task = await made<{ id: string; short_id: string }>(server, key, {
    method: 'POST',
    url: '/api/v1/tasks',
    body: { project_id: project, ...texts, metadata: { mark } },
  })
  const at = `/api/v1/tasks/${task.id}`
  const external = { external_source: 'canary', external_id: `${mark} ${task.short_id}` }
  await made(server, key, { method: 'PATCH', url: at, body: external })
  const twice = async (make: () => Promise<{ id: string }>) => {
    await make()
    return (await make()).id
  }
  const records: Records = {
    projects: project,
    tasks: task.id,
    comments: await twice(() => post(`${at}/comments`, { body: mark })),
    'time-entries': await twice(() =>
      post(`${at}/time-entries`, { duration_seconds: 60, note: mark }),
    ),
  }
  const name = `${mark.slice(-30)} ${task.short_id}`
  const tag = await call(server, key, {
    method: 'POST',
    url: `/api/v1/projects/${project}/tags`,
    body: { name },
  })
  if (tag.status === 201) records.tags = JSON.parse(tag.text).id
  if (served('POST /api/v1/tasks/:id/attachments')) {
    const url = `${at}/attachments?filename=${encodeURIComponent(`${mark}.txt`)}`
    const headers = { 'content-type': 'text/plain' }
    const upload = { method: 'POST', url, body: mark, headers }
    records.attachments = await twice(() => made(server, key, upload))
  }
  if (managing) {
    const url = `https://example.com/${encodeURIComponent(mark)}`
    const webhook = { url, events: ['*'], description: mark, secret: `${mark} secret` }
    records.webhooks = (await post('/api/v1/webhooks', webhook)).id
    records.deliveries = await twice(() => post(`/api/v1/webhooks/${records.webhooks}/test`, {}))
    const newest = { method: 'GET', url: `/api/v1/deliveries/${records.deliveries}` }
    records.events = (await made<{ event_id: string }>(server, key, newest)).event_id
  }
  return records
}
