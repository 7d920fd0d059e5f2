import type { FastifyInstance } from 'fastify'
import { OAUTH_PATHS } from '#auth/oauth/authorization-server.ts'
import type { AppContext } from '../app-context.ts'
import { countMalformedRequests } from '../pipeline/admission.ts'
import { sendReply } from '../reply/send.ts'
import { createAuthorizeHandler, createResumeHandler } from './authorize-handler.ts'
import { CLIENT_ENDPOINT_PATHS, createClientEndpointHandler } from './client-endpoints.ts'
import { createMetadataDocuments, REGISTRATION_PATH } from './metadata.ts'
import { createRegistrationHandler } from './registration-handler.ts'

/** Serves the paths of OAuth 2.0 (docs/spec/api.md#oauth), and returns them with the methods of each. */
export function serveOAuth(server: FastifyInstance, context: AppContext): Record<string, string[]> {
  const resumePath = `${OAUTH_PATHS.authorization}/:uid`
  server.get(OAUTH_PATHS.authorization, createAuthorizeHandler(context))
  server.get(resumePath, createResumeHandler(context))
  for (const path of CLIENT_ENDPOINT_PATHS)
    server.post(path, countMalformedRequests(context, createClientEndpointHandler(context, path)))
  const documents = Object.entries(createMetadataDocuments(context))
  for (const [path, document] of documents) {
    const body = JSON.stringify(document)
    server.get(path, (request, reply) => sendReply(request, reply, { status: 200, body }))
  }
  if (context.oauthRegistration) server.post(REGISTRATION_PATH, createRegistrationHandler(context))
  const [readMethods, writeMethods] = [['GET', 'HEAD'], ['POST']]
  return Object.fromEntries([
    ...[OAUTH_PATHS.authorization, resumePath, ...documents.map(([path]) => path)].map((path) => [
      path,
      readMethods,
    ]),
    ...[...CLIENT_ENDPOINT_PATHS, ...(context.oauthRegistration ? [REGISTRATION_PATH] : [])].map(
      (path) => [path, writeMethods],
    ),
  ])
}
