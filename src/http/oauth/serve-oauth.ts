import type { FastifyInstance } from 'fastify'
import { OAUTH_PATHS } from '#auth/oauth/authorization-server.ts'
import { SCOPES, type Scope } from '#wire/scopes.ts'
import type { AppContext } from '../app-context.ts'
import { countMalformedRequests } from '../pipeline/admission.ts'
import { sendReply } from '../reply/send.ts'
import { createAuthorizeHandler, createResumeHandler } from './authorize-handler.ts'
import { CLIENT_ENDPOINT_PATHS, createClientEndpointHandler } from './client-endpoints.ts'
import { MCP_METADATA_PATH, MCP_PATH, MCP_SCOPES, METADATA_PATH } from './mcp-resource.ts'
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
  if (context.oauth.allowsRegistration)
    server.post(REGISTRATION_PATH, createRegistrationHandler(context))
  const [readMethods, writeMethods] = [['GET', 'HEAD'], ['POST']]
  return Object.fromEntries([
    ...[OAUTH_PATHS.authorization, resumePath, ...documents.map(([path]) => path)].map((path) => [
      path,
      readMethods,
    ]),
    ...[
      ...CLIENT_ENDPOINT_PATHS,
      ...(context.oauth.allowsRegistration ? [REGISTRATION_PATH] : []),
    ].map((path) => [path, writeMethods]),
  ])
}

const REGISTRATION_PATH = '/oauth/register'
const CLIENT_AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post', 'none']

/** The metadata documents by path: RFC 8414 and RFC 9728. */
function createMetadataDocuments({ baseUrl, oauth }: AppContext): Record<string, object> {
  return {
    '/.well-known/oauth-authorization-server': {
      issuer: baseUrl,
      authorization_endpoint: baseUrl + OAUTH_PATHS.authorization,
      token_endpoint: baseUrl + OAUTH_PATHS.token,
      revocation_endpoint: baseUrl + OAUTH_PATHS.revocation,
      introspection_endpoint: baseUrl + OAUTH_PATHS.introspection,
      ...(oauth.allowsRegistration && { registration_endpoint: baseUrl + REGISTRATION_PATH }),
      scopes_supported: SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
      revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
      introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      service_documentation: `${baseUrl}/docs/guides/oauth`,
    },
    [METADATA_PATH]: describeResource('', SCOPES, '/docs'),
    [MCP_METADATA_PATH]: describeResource(MCP_PATH, MCP_SCOPES, '/docs/guides/mcp'),
  }

  function describeResource(path: string, scopes_supported: readonly Scope[], docs: string) {
    return {
      resource: baseUrl + path,
      authorization_servers: [baseUrl],
      scopes_supported,
      bearer_methods_supported: ['header'],
      resource_documentation: baseUrl + docs,
    }
  }
}
