import type { FastifyInstance } from 'fastify'
import { PATHS } from '#identity/oauth/server.ts'
import type { House } from '../house.ts'
import { send } from '../send.ts'
import { authorize, resume } from './authorize.ts'
import { ENDPOINTS, endpointOf } from './endpoints.ts'
import { metadata, REGISTER } from './metadata.ts'
import { register } from './register.ts'

/** Serves the addresses of OAuth 2.0 (contract 4.4); gives them with the methods that each takes. */
export function serveOAuth(server: FastifyInstance, house: House): Record<string, string[]> {
  const resumed = `${PATHS.authorization}/:uid`
  server.get(PATHS.authorization, authorize(house))
  server.get(resumed, resume(house))
  for (const path of ENDPOINTS) server.post(path, endpointOf(house, path))
  const documents = Object.entries(metadata(house))
  for (const [path, document] of documents) {
    const body = JSON.stringify(document)
    server.get(path, (request, reply) => send(request, reply, { status: 200, body }))
  }
  if (house.oauthRegistration) server.post(REGISTER, register(house))
  const [looks, posts] = [['GET', 'HEAD'], ['POST']]
  return Object.fromEntries([
    ...[PATHS.authorization, resumed, ...documents.map(([path]) => path)].map((path) => [
      path,
      looks,
    ]),
    ...[...ENDPOINTS, ...(house.oauthRegistration ? [REGISTER] : [])].map((path) => [path, posts]),
  ])
}
